const MAX_SHOWN_LOG_CHARS = 4_000; // about 1,000 tokens for the model; the events have them all
const MAX_SHOWN_LINE_CHARS = 1_000;

/** The last lines of a cell's logs: they are what it was doing when it ended. */
export function shownLogs(logs: string[]): string[] {
  let room = MAX_SHOWN_LOG_CHARS;
  const shown: string[] = [];
  for (const line of logs.toReversed()) {
    const part = line.length > MAX_SHOWN_LINE_CHARS ? `${line.slice(0, MAX_SHOWN_LINE_CHARS)}…` : line;
    room -= part.length + 1;
    if (room < 0) break;
    shown.unshift(part);
  }
  const hidden = logs.length - shown.length;
  return hidden === 0 ? shown : [`… ${hidden} earlier lines are not shown`, ...shown];
}
