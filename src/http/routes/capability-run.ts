import type { Context } from "hono";
import { CapabilityOutcome, CapabilityRunRequest } from "../../contract/capability-run.ts";
import { CapabilityName } from "../../contract/capability.ts";
import type { Failure } from "../../contract/failure.ts";
import type { HttpEnv } from "../auth.ts";
import { parseBody } from "../body.ts";
import { answerFailure } from "../problem.ts";

const WAIT_MS = 120_000; // as long as its cell may run; what takes longer, or asks a person, is looked at as a run

/** Runs a capability in a run of its own: 200 with its output, a problem when it failed, 202 with the run when it is not over. */
export async function runCapability(c: Context<HttpEnv>): Promise<Response> {
  const name = c.req.param("name") ?? "";
  const body = await parseBody(c.req.raw, CapabilityRunRequest);
  if (!body.ok) return answerFailure(c, body.failure);
  if (!CapabilityName.safeParse(name).success)
    return answerFailure(c, { kind: "unknown-capability", name: name.slice(0, 100), nearest: [] });
  const services = c.get("services");
  const tenant = c.get("tenant");
  const session = `s-${randomId(12)}`;
  const run = { id: `${session}.${randomId(10)}`, session, goal: `Run ${name}.` };
  const admitted = await services
    .registry(tenant)
    .admit({ run: { ...run, status: "queued", createdAt: new Date().toISOString() } });
  if (!admitted.ok) return answerFailure(c, admitted.failure);
  const coordinator = services.coordinator(tenant, session);
  await coordinator.startCapability(run.id, { ...body.value.value, name, goal: run.goal }, { tenant, session });
  const waited = await coordinator.wait(run.id, WAIT_MS);
  if (!waited.ok) return answerFailure(c, waited.failure);
  const { status, waitingOn, links, endedAt, result, failure } = waited.value;
  c.header("location", `/v1/goals/${run.id}`);
  if (endedAt === undefined)
    return c.json({ id: run.id, session, status, ...(waitingOn === undefined ? {} : { waitingOn }), links }, 202);
  const outcome = CapabilityOutcome.safeParse(result);
  if (!outcome.success)
    return answerFailure(c, { kind: "capability-failed", name, problem: failure?.message ?? "it gave no output" });
  if ("output" in outcome.data) return c.json({ output: outcome.data.output, run: run.id });
  return answerFailure(c, failureOf(name, outcome.data.failure));
}

type Failed = Extract<CapabilityOutcome, { failure: unknown }>["failure"];

/** What the library itself answers is told as it is; the rest is how the capability failed. */
function failureOf(name: string, { kind, message, data }: Failed): Failure {
  switch (kind) {
    case "bad-arguments":
      return { kind: "bad-input", field: "input", problem: message };
    case "unknown-capability":
    case "unknown-version":
    case "capability-unavailable":
      return { kind, ...data } as Failure; // such a failure, taken apart for the cell
    default:
      return { kind: "capability-failed", name, problem: message };
  }
}

const randomId = (length: number): string =>
  Array.from(
    crypto.getRandomValues(new Uint8Array(length)),
    (byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte & 31],
  ).join("");
