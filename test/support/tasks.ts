import { scripted } from "./goal-script.ts";
import type { Step } from "./scripted-model.ts";

/** A task that carries its own script, as code: what a sub-agent's model answers at each turn. */
export const task = (name: string, steps: Step[]): string => JSON.stringify(scripted(name, steps));

/** An inline agent, as code. */
export const WORKER = `{ name: "worker", role: "Does what it is told." }`;
