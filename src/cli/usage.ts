/** A wrong use of the command line. Thrown while arguments are read; `loadGoalFlags` makes it a value. */
export class UsageError extends Error {}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function splitPair(flag: string, pair: string): [name: string, value: string] {
  const equals = pair.indexOf("=");
  if (equals < 1) throw new UsageError(`${flag} wants name=value, not "${pair}"`);
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}
