/** One line of the result. Times are milliseconds. */
export interface Row {
  id: string;
  name: string;
  /** What it is measured against. */
  against: string;
  ours: number;
  baseline: number;
  ratio: number;
  /** The ratio to stay at or under; null where design.md sets none. */
  target: number | null;
  /** Null without a target. */
  reached: boolean | null;
  note?: string;
}

export type Subject = Pick<Row, "id" | "name" | "against" | "target" | "note">;

export function compared(subject: Subject, ours: number, baseline: number): Row {
  const ratio = ours / baseline;
  return { ...subject, ours, baseline, ratio, reached: subject.target === null ? null : ratio <= subject.target };
}
