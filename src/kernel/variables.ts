import type { VariableInfo } from "../contract/cell.ts";
import { functionSource, type Load } from "./compile.ts";
import type { SavedVariable } from "./job.ts";

/** A variable as it is stored, without its data. */
export interface StoredVariable {
  info: VariableInfo;
  kind: "const" | "let";
  functions: string[];
  classes: string[];
  /** Every name its functions mention. */
  mentions: string[];
  /** Those that must be there when its classes are evaluated. */
  neededAtOnce: string[];
  chars: number;
}

/** The kernel's view of the store. Metadata is at hand; data is loaded for what a cell names, and for nothing else (K1). */
export interface VariableSource {
  find(name: string): StoredVariable | undefined;
  load(name: string): Promise<string | undefined>;
}

/** What a cell that mentions `names` must load: those that exist, and what their functions mention, dependencies first. */
export function loadsFor(names: string[], declared: Set<string>, source: Pick<VariableSource, "find">): Load[] {
  const loads: Load[] = [];
  const visited = new Set<string>();
  const later: string[] = [];
  const visit = (name: string): void => {
    if (visited.has(name) || declared.has(name)) return;
    visited.add(name);
    const variable = source.find(name);
    if (variable === undefined) return;
    for (const needed of [...variable.classes, ...variable.neededAtOnce]) visit(needed);
    loads.push({ name, kind: variable.kind, functions: variable.functions, classes: variable.classes });
    later.push(...variable.mentions);
  };
  for (const name of names) visit(name);
  while (later.length > 0) visit(later.pop()!);
  return loads;
}

/** The functions of a saved variable by their sources, or why it can't be kept (K4). */
export function storable(
  saved: SavedVariable,
  { kind, isVariable }: { kind: "const" | "let"; isVariable: (name: string) => boolean },
): { ok: true; variable: StoredVariable } | { ok: false; reason: string } {
  // Class names become code when the variable is loaded, so they are names of variables or nothing.
  const unknown = saved.classes.find((name) => !isVariable(name));
  if (unknown !== undefined) return { ok: false, reason: `its class ${unknown.slice(0, 100)} is not kept` };
  const functions: string[] = [];
  const mentions = new Set<string>();
  const neededAtOnce = new Set<string>();
  for (const text of saved.functions) {
    const source = functionSource(text);
    if (!source.ok) return { ok: false, reason: `a function in it ${source.reason}` };
    functions.push(source.source);
    for (const name of source.free) mentions.add(name);
    for (const name of source.neededAtOnce) neededAtOnce.add(name);
  }
  mentions.delete(saved.name);
  neededAtOnce.delete(saved.name);
  const chars = saved.data?.length ?? 0;
  const info: VariableInfo = { name: saved.name, size: chars, ...saved.info };
  return {
    ok: true,
    variable: {
      info,
      kind,
      functions,
      classes: saved.classes,
      mentions: [...mentions],
      neededAtOnce: [...neededAtOnce],
      chars,
    },
  };
}
