/**
 * The cell compiler: TypeScript with top-level `await` in, one JavaScript module out.
 *
 * Declarations stay native, so `const`, hoisting and the temporal dead zone behave as written. The module's first line
 * takes what the host gives, each loaded variable has its own lines, and the cell follows line for line.
 */
import type { Compiled } from "./compiled.ts";
import { positionOf, refuse } from "./compiled.ts";
import type { EditedText } from "./edits.ts";
import { isApiName, whyNotParsed } from "./globals.ts";
import { instrumentCell, instrumentFunction } from "./instrument.ts";
import { parseCell, parseExpression, TOO_DEEP } from "./parse.ts";
import { forbiddenDeclaration, restrictionIn } from "./restrictions.ts";
import { isPseudo, scopesOf } from "./scope.ts";
import type { BindingKind, Scopes } from "./scope.ts";

export type { Compiled } from "./compiled.ts";
export { functionSource } from "./function-source.ts";
export type { FunctionSource } from "./function-source.ts";

export interface Declared {
  name: string;
  kind: "const" | "let" | "var" | "function" | "class";
}

export interface CellAnalysis {
  source: string;
  /** What later cells see. A `using` resource is not among them: it is disposed of when the cell ends. */
  declares: Declared[];
  /** Every name the cell mentions or assigns and does not declare: globals, API names, other cells' variables. */
  free: string[];
  /** All names of its outermost scope: none of them is loaded. */
  owns: ReadonlySet<string>;
  /** The cell as instrumented JavaScript. */
  text: EditedText;
}

/** A stored variable the cell needs, in the order given: dependencies first. */
export interface Load {
  name: string;
  kind: "const" | "let";
  /** Sources of the functions and classes its value holds, as `functionSource` answered them. */
  functions: string[];
  /** Names of variables that hold the classes its instances belong to. */
  classes: string[];
}

/** A place in the cell, or in a function of a loaded variable. */
export type Place = { line: number; column: number } | { variable: string; line: number };

export interface EmittedCell {
  module: string;
  /** The place that a line and column of the module, 1-based, stand for; undefined for the module's own lines. */
  locate(line: number, column: number): Place | undefined;
}

/** Parses and checks a cell. Never throws; the answer can be emitted any number of times. */
export function analyseCell(source: string): Compiled<CellAnalysis> {
  const unfit = whyNotParsed(source);
  if (unfit) return refuse(source, { kind: "forbidden", ...unfit });
  const parsed = parseCell(source);
  if (!parsed.ok) return parsed;
  try {
    const scopes = scopesOf(parsed.value);
    const problem = restrictionIn(parsed.value, scopes) ?? forbiddenDeclaration(scopes);
    if (problem) return refuse(source, problem);
    const cell = instrumentCell({ source, root: parsed.value, scopes });
    if (cell.problem) return refuse(source, cell.problem);
    const owns = new Set(scopes.declares.map(({ name }) => name));
    const value = { source, declares: declaredIn(scopes), free: freeIn(scopes), owns, text: cell.text };
    return { ok: true, value };
  } catch (error) {
    if (error instanceof RangeError) return refuse(source, TOO_DEEP);
    throw error;
  }
}

/**
 * The module of a cell. A load of a name that the cell declares is dropped: the cell's own is seen instead. Without
 * `keeps` nothing it declares or changes is sent back when it ends.
 */
export function emitCell(
  analysis: CellAnalysis,
  loads: Load[],
  { keeps = true }: { keeps?: boolean } = {},
): Compiled<EmittedCell> {
  const used = new Set(analysis.free);
  const lines: LoadedLines[] = [];
  for (const load of loads) {
    if (analysis.owns.has(load.name)) continue;
    const emitted = emitLoad(load);
    if (!emitted.ok) return emitted;
    lines.push(emitted.value);
    for (const name of emitted.value.free) used.add(name);
  }
  const api = [...used].filter(isApiName).sort().join(",");
  const names = keeps ? [...analysis.declares.map(({ name }) => name), ...lines.map(({ variable }) => variable)] : [];
  const head = [
    `export default async($px)=>{let $pxf=$px.fuel;const $pxx=$px.stop${api && `,{${api}}=$px.api`};\n`,
    ...lines.map(({ code }) => code),
    `$px.scope({${names.map((name) => `${name}:()=>${name}`).join(",")}},()=>$pxf,()=>{$pxf=-1});\n`,
  ].join("");
  const module = `${head}${analysis.text.text}\n}\n`;
  return { ok: true, value: { module, locate: locator(analysis, { head, lines }) } };
}

interface LoadedLines {
  variable: string;
  code: string;
  free: string[];
  /** For each of its lines, which line of a function it is. */
  origins: number[];
}

const emitLoad = (load: Load): Compiled<LoadedLines> => {
  try {
    return emitFunctions(load);
  } catch (error) {
    if (error instanceof RangeError) return unreadable(load.name, TOO_DEEP.message);
    throw error;
  }
};

const emitFunctions = (load: Load): Compiled<LoadedLines> => {
  const free: string[] = [];
  const origins: number[] = [];
  const thunks: string[] = [];
  for (const source of load.functions) {
    const parsed = parseExpression(source);
    if (!parsed.ok) return unreadable(load.name, parsed.reason);
    const scopes = scopesOf(parsed.value);
    free.push(...freeIn(scopes));
    const thunk = `()=>(${instrumentFunction({ source, root: parsed.value, scopes })})`;
    for (let line = 1; line <= lineCount(thunk); line++) origins.push(line);
    thunks.push(thunk);
  }
  const classes = load.classes.map((name) => `${name}:()=>${name}`).join(",");
  const functions = thunks.join(",\n");
  const code = `${load.kind} ${load.name}=$px.load(${JSON.stringify(load.name)},[${functions}],{${classes}});\n`;
  return { ok: true, value: { variable: load.name, code, free, origins: origins.length > 0 ? origins : [1] } };
};

const unreadable = (name: string, reason: string): Compiled<never> => ({
  ok: false,
  error: {
    kind: "syntax",
    message: `The stored function in "${name}" cannot be read: ${reason}`,
    hint: `Define "${name}" again in this cell.`,
  },
});

const lineCount = (text: string): number => positionOf(text, text.length).line;

const locator =
  (analysis: CellAnalysis, module: { head: string; lines: LoadedLines[] }): EmittedCell["locate"] =>
  (line, column) => {
    const cellStart = lineCount(module.head);
    if (line < cellStart) return locateLoad(line - 2, module.lines);
    const start = offsetOf(analysis.text.text, line - cellStart + 1);
    if (start === undefined) return undefined;
    const offset = Math.min(start + column - 1, analysis.text.text.length);
    return positionOf(analysis.source, analysis.text.originOf(offset));
  };

/** `row` counts from 0 at the first line of the first load. */
const locateLoad = (row: number, loads: LoadedLines[]): Place | undefined => {
  let first = 0;
  for (const { variable, origins } of loads) {
    const line = origins[row - first];
    if (row >= first && line !== undefined) return { variable, line };
    first += origins.length;
  }
  return undefined;
};

/** Offset at which a line begins; undefined past the end. */
const offsetOf = (text: string, line: number): number | undefined => {
  if (line === 1) return 0;
  let at = 1;
  for (const match of text.matchAll(/\r\n?|[\n\u2028\u2029]/g)) {
    if (++at === line) return match.index + match[0].length;
  }
  return undefined;
};

const freeIn = (scopes: Scopes): string[] =>
  [...new Set(scopes.free.map(({ name }) => name).filter((name) => !isPseudo(name)))].sort();

const declaredIn = (scopes: Scopes): Declared[] =>
  scopes.declares.flatMap(({ name, kind }) => {
    const shown = declaredKind(kind);
    return shown ? [{ name, kind: shown }] : [];
  });

const declaredKind = (kind: BindingKind): Declared["kind"] | undefined => {
  switch (kind) {
    case "enum":
      return "const";
    case "using":
    case "member":
    case "local":
      return undefined;
    default:
      return kind;
  }
};
