export function findEmails(text: string): string[] {
  return text.match(/[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu) ?? [];
}

export function findUrls(text: string): string[] {
  return (text.match(/\bhttps?:\/\/[^\s<>"'`)\]}]{1,2000}|\bwww\.[^\s<>"'`)\]}]{1,2000}/g) ?? []).map((url) =>
    url.replace(/[.,;:!?]+$/, ""),
  );
}

/** ISO, 03/15/2024, 15.03.2024, March 15, 2024 and 15 March 2024, as written. */
export function findDates(text: string): string[] {
  const month =
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?";
  const day = "\\d{1,2}(?:st|nd|rd|th)?";
  const forms = [
    "\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2})?(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})?)?",
    "\\d{1,2}[/.]\\d{1,2}[/.](?:\\d{4}|\\d{2})",
    `${month} ${day}(?:,? \\d{4})?`,
    `${day} ${month}(?:,? \\d{4})?`,
  ];
  return text.match(new RegExp(`(?<![\\w])(?:${forms.join("|")})(?![\\w])`, "gi")) ?? [];
}

/** Numbers, but not the parts of a date, a time, an IP address or a version. */
export function findNumbers(text: string): number[] {
  const month = "(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\\.?";
  const day = "\\d{1,2}(?:st|nd|rd|th)?";
  const forms = [
    "\\d{1,20}([./:-])\\d{1,20}(?:\\1\\d{1,20}){1,20}(?:T[\\d:.]{1,20}Z?)?",
    "\\d{1,2}:\\d{2}",
    `${month} ${day}(?:,? \\d{4})?`,
    `${day} ${month}(?:,? \\d{4})?`,
  ];
  const plain = text.replace(new RegExp(`(?<![\\p{L}\\p{N}_])(?:${forms.join("|")})(?![\\p{L}\\p{N}_])`, "gu"), " ; ");
  return (plain.match(/(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w])/g) ?? []).map((number) =>
    Number(number.replaceAll(",", "")),
  );
}

export function findPhones(text: string): string[] {
  return (
    text.match(/(?<![\w.-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]?\d{2,4}){1,4}(?![\w-])/g) ?? []
  ).filter((phone) => {
    const digits = phone.replace(/\D/g, "").length;
    return digits >= 7 && digits <= 15 && !/^\d{4}-\d{2}-\d{2}$/.test(phone) && /[^\d]/.test(phone);
  });
}

export function findHashtags(text: string): string[] {
  return text.match(/(?<![\p{L}\p{N}_&#])#[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
}

export function findMentions(text: string): string[] {
  return text.match(/(?<![\p{L}\p{N}_.@])@[\p{L}\p{N}_]{2,40}/gu) ?? [];
}

/** What stands in double, curly or single quotes, without them. */
export function findQuoted(text: string): string[] {
  return [...text.matchAll(/"([^"\n]{1,400})"|“([^”\n]{1,400})”|(?<!\p{L})'([^'\n]{1,400})'(?!\p{L})/gu)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
}
