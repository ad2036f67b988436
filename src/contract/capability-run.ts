import { z } from "zod";
import { VersionNumber } from "./capability.ts";
import { GoalRequest } from "./goal.ts";

/** `POST /v1/capabilities/:name/run`. */
export const CapabilityRunRequest = z.strictObject({
  input: z.json(),
  version: VersionNumber.optional(),
  /** As of a goal: `auto` agrees beforehand to what its tools would ask about. */
  approvals: GoalRequest.shape.approvals,
});
export type CapabilityRunRequest = z.infer<typeof CapabilityRunRequest>;

/** The result of a run that was started for one capability. */
export const CapabilityOutcome = z.union([
  z.strictObject({ output: z.json() }),
  z.strictObject({
    failure: z.object({ kind: z.string(), message: z.string(), data: z.record(z.string(), z.json()).optional() }),
  }),
]);
export type CapabilityOutcome = z.infer<typeof CapabilityOutcome>;
