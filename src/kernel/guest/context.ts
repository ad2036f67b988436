import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock, Dice } from "./clock.ts";
import type { Allowance } from "./allowance.ts";
import type { Stopper } from "./stop.ts";

/** What belongs to one run of the isolate's code. A warm isolate may serve several at once. */
export interface RunContext {
  clock: Clock;
  dice: Dice;
  stopper: Stopper;
  allowance: Allowance;
  log(text: string): void;
  sleep(ms: number): Promise<unknown>;
}

const storage = new AsyncLocalStorage<RunContext>();
let active = 0;
let sole: RunContext | undefined;

/** `isShared`: what an earlier run left under way must not pass for a part of this one. */
export async function enter<T>(context: RunContext, isShared: boolean, action: () => Promise<T>): Promise<T> {
  sole = active++ === 0 && !isShared ? context : undefined;
  try {
    return await storage.run(context, action);
  } finally {
    sole = undefined;
    active--;
  }
}

/** The run that the code which is asking belongs to. Asked by guarded built-ins at every call, hence the short cut. */
export const current = (): RunContext | undefined => sole ?? storage.getStore();
