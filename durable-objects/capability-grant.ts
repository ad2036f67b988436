import { type Grants, isGranted } from "../src/orchestration/grant.ts";
import { type AnyTool, grantOf } from "../tool-bindings/define.ts";

/** What code may reach: the agent's grants from the root down, and what the capability needs that it is code of. */
export interface Reach {
  grants: readonly Grants[];
  capability?: { name: string; needs: Grants } | undefined;
}

const RUN = { name: "library.run", grant: "library" };

/** L4: all that the agent may call, of that only what the capability says it needs. */
export const chainOf = ({ grants, capability }: Reach): readonly Grants[] =>
  // A need without a dot is a capability, never a family of tools.
  capability === undefined ? grants : [...grants, capability.needs.filter((need) => need.includes("."))];

/**
 * L4: whether a capability may be run. By an agent that has the library, or is granted this one; by a capability only when it
 * names it: what that one needs in turn is its own, and within the agent's grants all the same.
 */
export const mayRun = (name: string, { grants, capability }: Reach): boolean =>
  grants.every((link) => isGranted(RUN, [link]) || link.includes(name)) &&
  (capability === undefined || capability.needs.includes(name));

/** Why a tool may not be called, if so. Running a capability is judged by its name, when it is run. */
export function ungranted(tool: AnyTool, reach: Reach): string | undefined {
  if (tool.name === RUN.name || mayCall(tool, reach)) return undefined;
  const { grants, capability } = reach;
  if (capability !== undefined && mayCall(tool, { grants }))
    return `${capability.name} may not call ${tool.name}: it is not in its needs.`;
  return `This agent may not call ${tool.name}. It may call: ${grants.at(-1)?.join(", ") || "nothing but time and tools.search"}. What it can't do itself it asks for with escalate({ need, why }).`;
}

export const mayCall = (tool: AnyTool, reach: Reach): boolean =>
  isGranted({ name: tool.name, grant: grantOf(tool) }, chainOf(reach));
