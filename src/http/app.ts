import { Hono } from "hono";
import type { Services } from "../contract/services.ts";
import { authenticate, type HttpEnv } from "./auth.ts";
import { openapi } from "./openapi.ts";
import { answerFailure } from "./problem.ts";
import { agents } from "./routes/agents.ts";
import { capabilities } from "./routes/capabilities.ts";
import { goals } from "./routes/goals.ts";
import { health } from "./routes/health.ts";
import { lessons } from "./routes/lessons.ts";
import { library } from "./routes/library.ts";
import { subtasks } from "./routes/subtasks.ts";
import { usage } from "./routes/usage.ts";

/** The whole HTTP surface. `services` is asked once a request, so a Worker can build it from its bindings. */
export function createApp(services: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>({ strict: false });
  app.use(async (c, next) => {
    c.set("services", services);
    await next();
    c.header("x-content-type-options", "nosniff");
  });
  app.route("/healthz", health);
  app.get("/openapi.json", (c) => c.json(openapi(services.tools())));
  app.use("/v1/*", authenticate);
  app.route("/v1/goals", goals);
  app.route("/v1/subtasks", subtasks);
  app.route("/v1/agents", agents);
  app.route("/v1/lessons", lessons);
  app.route("/v1/capabilities", capabilities);
  app.route("/v1/library", library);
  app.route("/v1/usage", usage);
  app.notFound((c) => {
    const path = new URL(c.req.url).pathname;
    const allowed = methodsFor(app, path);
    if (allowed.length > 0)
      return answerFailure(c, { kind: "method-not-allowed", method: c.req.method, path, allowed });
    return answerFailure(c, { kind: "unknown-route", method: c.req.method, path });
  });
  app.onError((error, c) => {
    console.error("unhandled", error);
    return answerFailure(c, { kind: "run-broken", problem: "an unexpected error" });
  });
  return app;
}

/** The methods some route takes at this path: the difference between a wrong method and a wrong path. */
function methodsFor(app: Hono<HttpEnv>, path: string): string[] {
  const fits = (pattern: string): boolean => new RegExp(`^${pattern.replace(/:[^/]+/g, "[^/]+")}/?$`).test(path);
  return [
    ...new Set(app.routes.filter((route) => route.method !== "ALL" && fits(route.path)).map((route) => route.method)),
  ];
}
