/** One line of the result. */
export interface Row {
  id: string;
  name: string;
  /** What it is measured against. */
  against: string;
  /** Of `ours` and `baseline`; milliseconds when left out. */
  unit?: string;
  ours: number;
  baseline: number;
  ratio: number;
  /** The ratio to stay at or under; null where design.md sets none. */
  target: number | null;
  /** Null without a target. */
  reached: boolean | null;
  note?: string;
}

export type Subject = Pick<Row, "id" | "name" | "against" | "target" | "note" | "unit">;

export function compared(subject: Subject, ours: number, baseline: number): Row {
  const ratio = ours / baseline;
  return { ...subject, ours, baseline, ratio, reached: subject.target === null ? null : ratio <= subject.target };
}
