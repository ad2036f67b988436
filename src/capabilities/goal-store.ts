/**
 * The goals that were tried with an entry: stems, outcome, and what training made of them.
 *
 * Owns: `search_goals`. The greatest id is the newest. One row for an entry and a wording: trying the same again replaces it.
 */
import type { Goal, Pulls } from "./experience.ts";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS search_goals (id INTEGER PRIMARY KEY AUTOINCREMENT, entry INTEGER NOT NULL, stems TEXT NOT NULL,
  served INTEGER NOT NULL, pulls TEXT NOT NULL, UNIQUE (entry, stems));`;

export interface StoredGoal extends Goal {
  id: number;
}

// oxlint-disable-next-line typescript/consistent-type-definitions -- SqlStorage wants an index signature
type Row = { id: number; entry: number; stems: string; served: number; pulls: string };

export class GoalStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
  }

  *all(): Iterable<StoredGoal> {
    for (const row of this.#sql.exec<Row>("SELECT * FROM search_goals ORDER BY id")) yield goalOf(row);
  }

  count(): number {
    return this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM search_goals").one().n;
  }

  countOf(entry: number): number {
    return this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM search_goals WHERE entry = ?", entry).one().n;
  }

  find(entry: number, stems: readonly string[]): StoredGoal | undefined {
    return this.#first("entry = ? AND stems = ?", entry, stems.join(" "));
  }

  /** The oldest of an entry, or of all. */
  oldest(entry?: number): StoredGoal | undefined {
    return entry === undefined ? this.#first("1 ORDER BY id") : this.#first("entry = ? ORDER BY id", entry);
  }

  ofEntry(entry: number): StoredGoal[] {
    return this.#sql.exec<Row>("SELECT * FROM search_goals WHERE entry = ?", entry).toArray().map(goalOf);
  }

  /** One at a share of the way from the oldest to the newest: 0 to 1. */
  at(share: number): StoredGoal | undefined {
    const { low, high } = this.#sql
      .exec<{ low: number | null; high: number | null }>("SELECT min(id) AS low, max(id) AS high FROM search_goals")
      .one();
    if (low === null || high === null) return undefined;
    return this.#first("id >= ? ORDER BY id", Math.floor(low + share * (high - low)));
  }

  insert(goal: Goal): StoredGoal {
    const { id } = this.#sql
      .exec<{ id: number }>(
        "INSERT INTO search_goals (entry, stems, served, pulls) VALUES (?, ?, ?, ?) RETURNING id",
        goal.entry,
        goal.stems.join(" "),
        goal.served ? 1 : 0,
        textOf(goal.pulls),
      )
      .one();
    return { ...goal, id };
  }

  savePulls({ id, pulls }: StoredGoal): void {
    this.#sql.exec("UPDATE search_goals SET pulls = ? WHERE id = ?", textOf(pulls), id);
  }

  delete(id: number): void {
    this.#sql.exec("DELETE FROM search_goals WHERE id = ?", id);
  }

  #first(where: string, ...values: (string | number)[]): StoredGoal | undefined {
    const row = this.#sql.exec<Row>(`SELECT * FROM search_goals WHERE ${where} LIMIT 1`, ...values).toArray()[0];
    return row === undefined ? undefined : goalOf(row);
  }
}

const goalOf = ({ id, entry, stems, served, pulls }: Row): StoredGoal => ({
  id,
  entry,
  stems: stems.split(" "),
  served: served === 1,
  pulls: pullsOf(pulls),
});

/** `entry:coefficient`, with spaces between: a third of JSON's time to read, and there are thousands. */
function pullsOf(text: string): Pulls {
  const pulls: Pulls = new Map();
  if (text === "") return pulls;
  for (const pair of text.split(" ")) {
    const colon = pair.indexOf(":");
    pulls.set(Number(pair.slice(0, colon)), Number(pair.slice(colon + 1)));
  }
  return pulls;
}

const textOf = (pulls: Pulls): string =>
  [...pulls].map(([entry, coefficient]) => `${entry}:${Number(coefficient.toFixed(4))}`).join(" ");
