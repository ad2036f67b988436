import { coordinatorName, type Env, libraryOf, registryOf } from "../durable-objects/env.ts";
import { CATALOG } from "../tool-bindings/catalog.ts";
import { openapiFragment } from "../tool-bindings/openapi-fragment.ts";
import { createApp } from "./http/app.ts";
import { SPECIALISTS } from "./orchestration/specialists.ts";
import { configureModel } from "./model/configure.ts";
import { embeddedPlanner } from "./model/embedded/planner.ts";

export { Coordinator } from "../durable-objects/coordinator.ts";
export { Library } from "../durable-objects/library.ts";
export { Registry } from "../durable-objects/registry.ts";
export { SubAgent } from "../durable-objects/sub-agent.ts";
export { CellRunner } from "./kernel/runner.ts";

export default {
  fetch(request, env, ctx) {
    const model = configureModel(env, embeddedPlanner());
    const app = createApp({
      coordinator: (tenant, session) => env.COORDINATOR.getByName(coordinatorName(tenant, session)),
      registry: (tenant) => registryOf(env, tenant),
      library: (tenant) => libraryOf(env, tenant),
      rootKey: env.PRAXIS_ROOT_KEY || undefined,
      modelLabel: model.ok ? model.value.label : "misconfigured",
      specialists: SPECIALISTS,
      tools: () => openapiFragment(CATALOG),
    });
    return app.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Env>;
