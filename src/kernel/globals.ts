import { CELL_API } from "../contract/cell.ts";
import { OPENING_MARK } from "./fence.ts";

/** Names that begin so belong to the emitted module. */
export const RESERVED_PREFIX = "$px";

/** 256 Ki characters: far above what a model writes in one go, far below what slows the parser. */
export const MAX_SOURCE_LENGTH = 256 * 1024;

const API_NAMES: ReadonlySet<string> = new Set(CELL_API);
export const isApiName = (name: string): boolean => API_NAMES.has(name);

// Names that a cell relies on, or that no scope object can hold.
const NOT_TO_DECLARE = new Set([
  "undefined",
  "NaN",
  "Infinity",
  "globalThis",
  "console",
  "arguments",
  "eval",
  "__proto__",
]);

/** Why a top-level declaration may not take this name; undefined if it may. */
export const whyNotDeclared = (name: string): string | undefined => {
  if (isApiName(name)) return `"${name}" is a name of the cell API and cannot be declared`;
  return NOT_TO_DECLARE.has(name) ? `"${name}" cannot be declared` : undefined;
};

/** Why a source is refused before it is parsed; undefined if it is not. */
export const whyNotParsed = (source: string): { offset: number; message: string; hint: string } | undefined => {
  if (source.length > MAX_SOURCE_LENGTH) {
    return {
      offset: 0,
      message: `The cell is too long: ${source.length} characters, at most ${MAX_SOURCE_LENGTH}`,
      hint: "Split it into several cells; keep data in files or variables, not in code.",
    };
  }
  const offset = source.indexOf(OPENING_MARK);
  if (offset < 0) return undefined;
  return {
    offset,
    message: `The text "${OPENING_MARK}" is reserved`,
    hint: "Write the comment or string differently.",
  };
};
