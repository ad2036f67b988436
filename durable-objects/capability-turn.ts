import type { ModelReply } from "../src/contract/model.ts";

/**
 * The first and only turn of a run that is there for one capability: no model is asked, for it is known what to do. The run's
 * result is a `CapabilityOutcome`: what fails inside is part of it, and nothing is tried again.
 */
export function capabilityTurn(name: string, version: number | undefined): ModelReply {
  const options = version === undefined ? "" : `, { version: ${version} }`;
  const code = `done(await library.run(${JSON.stringify(name)}, input${options}).then((output) => ({ output }), ({ kind, message, data }) => ({ failure: { kind, message, data } })))`;
  return {
    model: "none",
    text: "",
    call: { id: "run", code },
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    costUsd: 0,
  };
}
