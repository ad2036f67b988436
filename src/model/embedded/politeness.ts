const GREETING = /^(?:hi|hello|hey)(?: there)?[,!.]\s+(?=\S)/i;
const LEAD =
  /^(?:(?:please|kindly|(?:could|can|would|will) you|tell me|let me know|i(?: would|'d) like(?: you)? to(?: know)?|i want(?: you)? to(?: know)?)[,\s]\s{0,9})+(?=\S)/i;
const TAIL =
  /[,.!;?]\s{0,9}(?:(?:many )?thanks|thank you|thx|cheers|please)(?: (?:a lot|so much|very much|in advance))?[\s.!]{0,9}$/i;
const MAX_TAIL = 60; // characters of the goal that may be thanks

/** A goal without `could you please` and `thanks!`. What may be data stays as it is. */
export function withoutPoliteness(goal: string): string {
  const text = goal.trim().replace(GREETING, "").replace(LEAD, "");
  if (/[:\n"“`']/.test(text)) return text;
  return text.slice(0, -MAX_TAIL) + text.slice(-MAX_TAIL).replace(TAIL, "");
}
