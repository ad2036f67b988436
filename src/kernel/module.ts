/**
 * A capability's module as a cell: `export default` becomes a declaration, and a last line calls it with `input` and hands
 * what it answers to `done`. Lines stay where they are, so an error's line is the author's.
 *
 * The module is parsed by itself first: what it leaves open can't be closed by the last line. It can't declare `input`,
 * or name `done`, and holds nothing but declarations at its top, so the last line is what ends the run.
 */
import { analyseCell, type Compiled, emitCell, type Load } from "./compile.ts";
import { positionOf, type Problem, refuse } from "./compiled.ts";
import { type EditedText, Edits } from "./edits.ts";
import { isApiName, whyNotParsed } from "./globals.ts";
import { type DefaultFunction, findDefault, problemAtTop } from "./module-export.ts";
import { factsOf, type ModuleFacts } from "./module-facts.ts";
import { parseCell, TOO_DEEP } from "./parse.ts";
import { restrictionIn } from "./restrictions.ts";
import { scopesOf, type Scopes } from "./scope.ts";
import { type Node, nameOf, tokenAfter, traverse } from "./syntax.ts";

export type { ModuleFacts } from "./module-facts.ts";

export const INPUT = "input";
const DONE = "done";
const INPUT_LOAD: Load = { name: INPUT, kind: "const", functions: [], classes: [] };

export interface ModuleCell {
  /** The cell: the module's lines, then one that calls its default function. */
  source: string;
  /** The place in the module of an offset of the cell; undefined for the line that was added. */
  placeOf(offset: number): { line: number; column: number } | undefined;
  facts: ModuleFacts;
}

export interface EmittedModule {
  /** For `CellRunnerApi.run`, with the encoded `input` among the job's variables. The outcome's `done` is the output. */
  module: string;
  /** The place in the capability's source that a line and column of `module`, 1-based, stand for. */
  locate(line: number, column: number): { line: number; column: number } | undefined;
  /** Names of the cell API it uses. */
  api: string[];
  facts: ModuleFacts;
}

/** The cell that runs a module once. Never throws. */
export function moduleCell(source: string): Compiled<ModuleCell> {
  const unfit = whyNotParsed(source);
  if (unfit) return refuse(source, { kind: "forbidden", ...unfit, message: unfit.message.replace("cell", "module") });
  const parsed = parseCell(source);
  if (!parsed.ok) return parsed;
  try {
    return wrap(source, parsed.value);
  } catch (error) {
    if (error instanceof RangeError) return refuse(source, TOO_DEEP);
    throw error;
  }
}

/** The module that the runner takes. It keeps no state between runs: its top level is evaluated in each. */
export function emitModule(source: string): Compiled<EmittedModule> {
  const cell = moduleCell(source);
  if (!cell.ok) return cell;
  const analysis = analyseCell(cell.value.source);
  if (!analysis.ok) return analysis;
  const emitted = emitCell(analysis.value, [INPUT_LOAD], { keeps: false });
  if (!emitted.ok) return emitted;
  const { module, locate } = emitted.value;
  const api = analysis.value.free.filter((name) => isApiName(name) && name !== DONE);
  const starts = lineStarts(cell.value.source);
  return {
    ok: true,
    value: {
      module,
      api,
      facts: cell.value.facts,
      locate(line, column) {
        const at = locate(line, column);
        if (at === undefined || "variable" in at) return undefined;
        return cell.value.placeOf((starts[at.line - 1] ?? 0) + at.column - 1);
      },
    },
  };
}

const wrap = (source: string, root: Node): Compiled<ModuleCell> => {
  const scopes = scopesOf(root);
  const problem = problemAtTop(root) ?? restrictionIn(withoutExports(root), scopes) ?? reservedUse(scopes);
  if (problem) return refuse(source, problem);
  const found = findDefault(root, scopes);
  if (!found.ok) return refuse(source, found.problem);
  const { text, name } = asDeclaration(source, root, found.value);
  const cell = `${text.text}\n;${DONE}(await ${name}(${INPUT}))`;
  return {
    ok: true,
    value: {
      source: cell,
      placeOf: (offset) =>
        offset <= text.text.length
          ? positionOf(source, Math.min(text.originOf(offset), Math.max(0, source.length - 1)))
          : undefined,
      facts: factsOf(root, scopes),
    },
  };
};

/** The default export is judged by itself; what else a cell may not contain, a module may not either. */
const withoutExports = (root: Node): Node => ({
  ...root,
  body: (root["body"] as Node[]).map((node) =>
    node.type === "ExportDefaultDeclaration" ? (node["declaration"] as Node) : node,
  ),
});

const asDeclaration = (source: string, root: Node, found: DefaultFunction): { text: EditedText; name: string } => {
  const edits = new Edits(source);
  const { node } = found;
  if (found.form === "name") {
    edits.blank(node.start, node.end, { first: ";" });
    return { text: edits.apply(), name: found.name };
  }
  const keyword = tokenAfter(source, node.start + "export".length);
  edits.blank(node.start, node.start + "export".length, { first: ";" });
  edits.blank(keyword, keyword + "default".length);
  if (found.form === "declaration") return { text: edits.apply(), name: found.name };
  const name = unusedName(root);
  edits.insert(keyword + "default".length, ` const ${name}=`);
  edits.insert(node.end, ";"); // `function(){}` ended by itself; an expression may not
  return { text: edits.apply(), name };
};

/** A name that the module mentions nowhere. */
const unusedName = (root: Node): string => {
  const used = new Set<string>();
  traverse(root, {
    enter(node) {
      if (node.type === "Identifier") used.add(nameOf(node));
      return true;
    },
    leave() {},
  });
  let name = "capability";
  for (let i = 2; used.has(name); i++) name = `capability${i}`;
  return name;
};

const reservedUse = (scopes: Scopes): Problem | undefined => {
  const declared = scopes.declares.find(({ name }) => name === INPUT);
  if (declared)
    return {
      kind: "forbidden",
      offset: declared.node.start,
      message: `"${INPUT}" cannot be declared at the top of a module`,
      hint: "Use another name; as the default function's parameter it is free.",
    };
  const used = scopes.free.find(({ name }) => name === INPUT || name === DONE);
  if (!used) return undefined;
  return used.name === DONE
    ? {
        kind: "forbidden",
        offset: used.node.start,
        message: '"done" is not for a capability: it would end the run of its caller',
        hint: "Return the value from the default function.",
      }
    : {
        kind: "forbidden",
        offset: used.node.start,
        message: `"${INPUT}" is not defined here`,
        hint: "The default function gets it as its parameter; hand it on from there.",
      };
};

const lineStarts = (text: string): number[] => {
  const starts = [0];
  for (const match of text.matchAll(/\r\n?|[\n\u2028\u2029]/g)) starts.push(match.index + match[0].length);
  return starts;
};
