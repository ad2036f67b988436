import { DecisionStore } from "./decision-store.ts";
import { JournalStore } from "./journal-store.ts";
import { LedgerStore } from "./ledger-store.ts";
import { RunStore } from "./run-store.ts";
import { SubtaskStore } from "./subtask-store.ts";
import { TextStore } from "./text-store.ts";
import { VariableStore } from "./variable-store.ts";

/** All that an agent remembers, in its own object's database. */
export interface Stores {
  storage: DurableObjectStorage;
  texts: TextStore;
  runs: RunStore;
  variables: VariableStore;
  journal: JournalStore;
  decisions: DecisionStore;
  ledger: LedgerStore;
  subtasks: SubtaskStore;
}

export interface StoreOptions {
  bucket: R2Bucket;
  /** Of what goes to the bucket. */
  prefix: string;
  /** How long a question stays open. */
  decisionTtlMs: number;
}

export function openStores(storage: DurableObjectStorage, { bucket, prefix, decisionTtlMs }: StoreOptions): Stores {
  const texts = new TextStore(storage, bucket, prefix);
  const decisions = new DecisionStore(storage, decisionTtlMs);
  return {
    storage,
    texts,
    decisions,
    runs: new RunStore(storage),
    variables: new VariableStore(storage, texts),
    journal: new JournalStore(storage, texts, decisions),
    ledger: new LedgerStore(storage),
    subtasks: new SubtaskStore(storage),
  };
}
