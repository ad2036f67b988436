import type { ToolHost } from "../tool-bindings/host.ts";
import { type Env, libraryOf } from "./env.ts";

const SECRET_PREFIX = "SECRET_";

/** What an agent's object lends to its tools whatever runs: the rest belongs to a run or a cell. */
export type BaseToolHost = Omit<ToolHost, "llm" | "files" | "library">;

/** What tools may know of the deployment. Secrets are the variables that are named as such, and no others. */
export function toolHost(env: Env, { tenant, goal }: { tenant: string; goal: string }): BaseToolHost {
  const vars = env as unknown as Record<string, unknown>; // bindings and variables share one object
  return {
    egress: env.PRAXIS_EGRESS || undefined,
    secret: (name) => {
      const value = vars[SECRET_PREFIX + name];
      return typeof value === "string" && value !== "" ? value : undefined;
    },
    search: (query, limit, kinds) =>
      env.LIBRARY.getByName(tenant).search(query, limit, kinds === undefined ? {} : { kinds }),
    recall: (query, limit) => libraryOf(env, tenant).recall(query, limit),
    remember: (text) => libraryOf(env, tenant).remember({ text, goal, outcome: "succeeded", kind: "remembered" }),
  };
}
