/** What an agent may call. `*` is all that its parent may; a family covers its tools. */
export type Grants = readonly string[];

/** What every agent may use: looking for tools, what concerns nobody but itself, and asking for help. */
const ALWAYS = ["tools", "time", "agents.escalate"];

const covers = (grant: string, tool: { name: string; grant: string }): boolean =>
  grant === "*" || grant === tool.name || grant === tool.grant || tool.name.startsWith(`${grant}.`);

/** L4, G2: all of the grants, from the root down, must cover the tool. A child can't have what its parent has not. */
export function isGranted(tool: { name: string; grant: string }, chain: readonly Grants[]): boolean {
  if (ALWAYS.some((family) => covers(family, tool))) return true;
  return chain.every((grants) => grants.some((grant) => covers(grant, tool)));
}
