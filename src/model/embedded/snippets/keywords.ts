/** The words that carry a text, the most frequent first; ties in order of appearance. */
export function keywords(text: string, limit: number): string[] {
  const common = new Set(
    (
      "a about above after again all also am an and any are as at be because been before being below between both but by can could did do does doing done down during each " +
      "even every few for from further get gets got had has have having he her here hers him his how i if in into is it its just let like made make many may me might more " +
      "most much must my never no nor not now of off on once one only or other our out over own please really same say says see she should since so some still such than " +
      "that the their them then there these they this those through to too two under until up upon us use used using very was we were what when where which while who whom " +
      "why will with would yes yet you your yours i'm it's don't can't doesn't isn't i've we're that's won't didn't there's"
    ).split(" "),
  );
  const counts = new Map<string, number>();
  for (const [word] of text
    .toLowerCase()
    .replaceAll("’", "'")
    .matchAll(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu))
    if (word.length > 2 && !common.has(word) && !/^\d+$/.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, limit)
    .map((entry) => entry[0]);
}

/** The sentences that hold most of a text's frequent words, in their own order. */
export function topSentences(sentences: string[], frequent: string[], limit: number): string[] {
  const weights = new Map(frequent.map((word, rank) => [word, frequent.length - rank]));
  return sentences
    .map((sentence, place) => {
      const words = sentence.toLowerCase().match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? [];
      const weight = [...new Set(words)].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
      return { sentence, place, weight: weight / Math.sqrt(words.length + 1) };
    })
    .sort((a, b) => b.weight - a.weight || a.place - b.place)
    .slice(0, limit)
    .sort((a, b) => a.place - b.place)
    .map((entry) => entry.sentence);
}

/** The label whose signs occur most often in the text, `fallback` when none of them does or two are equal. */
export function pickTag(
  text: string,
  signs: [label: string, marks: string[]][],
  fallback: string | null,
): string | null {
  const words = ` ${(text.toLowerCase().match(/[\p{L}\p{N}']+|\?/gu) ?? []).join(" ")} `;
  let best = fallback;
  let most = 0;
  for (const [label, marks] of signs) {
    // A sign also stands for the words it begins: "crash" for "crashes".
    const count = marks.reduce(
      (sum, mark) => sum + words.split(mark.length > 3 ? ` ${mark}` : ` ${mark} `).length - 1,
      0,
    );
    if (count > most) best = label;
    else if (count > 0 && count === most) best = fallback;
    most = Math.max(most, count);
  }
  return best;
}
