/** The names most like a wrong one: `mail.snd` → `mail.send`. */
export function nearest(wrong: string, names: Iterable<string>, limit = 3): string[] {
  const wanted = pairsOf(wrong);
  const scored: { name: string; score: number }[] = [];
  for (const name of names) {
    const pairs = pairsOf(name);
    let shared = 0;
    for (const pair of wanted) if (pairs.has(pair)) shared++;
    const score = (2 * shared) / (wanted.size + pairs.size || 1);
    if (score > 0.3) scored.push({ name, score });
  }
  return scored
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

/** Pairs of letters, separators left out: cheap, and kind to swapped, missing and doubled letters. */
function pairsOf(name: string): Set<string> {
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return new Set(Array.from({ length: Math.max(1, letters.length - 1) }, (_, i) => letters.slice(i, i + 2)));
}
