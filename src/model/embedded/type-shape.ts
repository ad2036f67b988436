/** The properties of `{ a: string, b: { c: number }[] }`, in order. Lenient: the text may be cut. */
export function propertiesOf(type: string): Map<string, string> {
  const properties = new Map<string, string>();
  const inside = /^\{(.*?)\}?$/s.exec(type.trim())?.[1];
  if (inside === undefined) return properties;
  for (const part of splitTop(inside)) {
    const colon = part.indexOf(": ");
    if (colon > 0)
      properties.set(
        part
          .slice(0, colon)
          .trim()
          .replace(/\?$|^"|"$/g, ""),
        part.slice(colon + 2).trim(),
      );
  }
  return properties;
}

/** The type of the items, when the type is that of an array: `string` of `string[]`. */
export const itemTypeOf = (type: string): string | undefined =>
  /^(.*)\[\]$/s.exec(type.trim())?.[1]?.replace(/^\((.*)\)$/s, "$1") ?? /^Array<(.*)>$/s.exec(type.trim())?.[1];

function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if ("{[(<".includes(char)) depth++;
    else if ("}])>".includes(char)) depth--;
    else if (depth === 0 && (char === "," || char === ";")) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)];
}
