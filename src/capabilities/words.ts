// prettier-ignore
const STOP = new Set("a an and are as at be by for from get give has have how i in is it its me my of on or please some that the their this to want was what when where which who will with you your can could should would do does need want find use using".split(" "));

/** The words of a name or a text, lower case; `getUserByEmail`, `user_list` and `http.get` fall into their parts. */
export function wordsOf(text: string): string[] {
  return (
    text
      .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The words a query is about. When all of them are common ones, those. */
export function queryWords(query: string, limit: number): string[] {
  const words = [...new Set(wordsOf(query))];
  const telling = words.filter((word) => !STOP.has(word));
  return (telling.length > 0 ? telling : words).slice(0, limit);
}
