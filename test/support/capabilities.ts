/** Capabilities for tests, in the library of the tenant that HTTP requests of tests belong to. */
import { env, runInDurableObject } from "cloudflare:test";
import type { CapabilityDraft, FunctionDraft } from "../../src/contract/capability.ts";
import type { Use } from "../../src/contract/library.ts";
import type { Library } from "./unchecked-library.ts";

const within = <T>(action: (library: Library) => T | Promise<T>): Promise<T> =>
  // A cast: the class behind the binding is the tests' own.
  runInDurableObject(env.LIBRARY.getByName("main"), (object) => action(object as unknown as Library));

/** A draft that says nothing of its input and output, and what a test changes of it. */
export const draft = (name: string, source: string, changes: Partial<FunctionDraft> = {}): FunctionDraft => ({
  name,
  description: `Does what ${name} says.`,
  input: {},
  output: {},
  source,
  tests: [{ input: 1, expect: 1 }],
  ...changes,
});

/** Past the gate. */
export const keep = (capability: CapabilityDraft): Promise<void> => within((library) => library.admit(capability));
export const usesOf = (name: string): Promise<Use[]> => within((library) => library.uses(name));
export const quarantine = (name: string): Promise<void> => within((library) => library.withdraw(name));
