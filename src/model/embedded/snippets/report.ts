/** A text without headings, each point of a list a paragraph of its own. */
export function toProse(text: string): string {
  return text.replace(/^#{1,6} .*$/gm, "\n").replace(/^[ \t]*(?:[-*>]|\d{1,3}[.)]) +/gm, "\n");
}

/** The sentences that have one of the words, in the singular or the plural. */
export function sentencesOn(sentences: string[], words: string[]): string[] {
  const [endings, ies] = [/(?<=..(?:[sxz]|[cs]h))es$|(?<=[^s]{2})s$/, /(?<=..)ies$/];
  const sought = new Set(words.map((word) => word.toLowerCase().replace(ies, "y").replace(endings, "")));
  return sentences.filter((sentence) =>
    (sentence.toLowerCase().match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []).some((word) =>
      sought.has(
        word
          .replace(/['’]s$/, "")
          .replace(ies, "y")
          .replace(endings, ""),
      ),
    ),
  );
}

/** A report in Markdown: the facts as they stand, under a heading for each source. */
export function composeReport(title: string, facts: { fact: unknown; source?: unknown }[]): string {
  const sections = new Map<string, string[]>();
  for (const { fact, source } of facts) {
    const heading = String(source ?? "Facts")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 200);
    const line = `- ${String(fact).replace(/\s+/g, " ").trim()}`;
    sections.set(heading, [...(sections.get(heading) ?? []), line]);
  }
  const count = `${facts.length} ${facts.length === 1 ? "fact" : "facts"} from ${sections.size} ${sections.size === 1 ? "source" : "sources"}.`;
  return [`# ${title}`, count, ...[...sections].map(([heading, lines]) => `## ${heading}\n\n${lines.join("\n")}`)].join(
    "\n\n",
  );
}

/** What a report lacks: facts it doesn't hold word for word, sections with nothing in them. */
export function reviewReport(
  text: string,
  facts: { fact: unknown }[],
): { ok: boolean; facts: number; sections: number; findings: string[] } {
  const flat = text.replace(/\s+/g, " ");
  const missing = facts
    .map(({ fact }) => String(fact).replace(/\s+/g, " ").trim())
    .filter((fact) => !flat.includes(fact))
    .map((fact) => `A fact is missing: ${fact}`);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const sections = lines.flatMap((line, at) => {
    const level = /^(#{1,6}) /.exec(line)?.[1]?.length;
    const next = /^(#{1,6}) /.exec(lines[at + 1] ?? "# ")?.[1]?.length;
    return level === undefined ? [] : [{ line, isEmpty: next !== undefined && next <= level }];
  });
  const empty = sections.filter(({ isEmpty }) => isEmpty).map(({ line }) => `A section is empty: ${line}`);
  const findings = [...missing, ...empty, ...(sections.length === 0 ? ["There are no headings."] : [])];
  return { ok: findings.length === 0, facts: facts.length, sections: sections.length, findings };
}
