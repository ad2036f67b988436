import { JournalStore } from "./journal-store.ts";
import { LedgerStore } from "./ledger-store.ts";
import { RunStore } from "./run-store.ts";
import { TextStore } from "./text-store.ts";
import { VariableStore } from "./variable-store.ts";

/** All that an agent remembers, in its own object's database. */
export interface Stores {
  storage: DurableObjectStorage;
  texts: TextStore;
  runs: RunStore;
  variables: VariableStore;
  journal: JournalStore;
  ledger: LedgerStore;
}

export function openStores(storage: DurableObjectStorage, bucket: R2Bucket, prefix: string): Stores {
  const texts = new TextStore(storage, bucket, prefix);
  return {
    storage,
    texts,
    runs: new RunStore(storage),
    variables: new VariableStore(storage, texts),
    journal: new JournalStore(storage, texts),
    ledger: new LedgerStore(storage),
  };
}
