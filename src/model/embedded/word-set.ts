/** A set of words written one after the other. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));
