import type { Env as PraxisEnv } from "../../durable-objects/env.ts";

declare global {
  namespace Cloudflare {
    interface Env extends PraxisEnv {}
  }
}
