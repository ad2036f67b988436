/**
 * What is left of a name when the differences that eyes and models miss are taken away: hyphens and dots, a plural `s`,
 * 0 and o, 1, l and i, rn and m, vv and w.
 */
export const skeletonOf = (name: string): string =>
  name
    .toLowerCase()
    .split(/[-._]/)
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, "") : word))
    .join("")
    .replaceAll("0", "o")
    .replace(/[1l]/g, "i")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");

/** The name there is that another could be taken for; the same name is none. */
export function findLookalike(name: string, names: Iterable<string>): string | undefined {
  const skeleton = skeletonOf(name);
  for (const known of names) if (known !== name && skeletonOf(known) === skeleton) return known;
  return undefined;
}
