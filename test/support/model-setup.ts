import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { stepOf } from "./goal-script.ts";
import { startScriptedModel } from "./scripted-model.ts";

declare module "vitest" {
  interface ProvidedContext {
    modelUrl: string;
    /** `GET <countUrl>?q=text` answers how many requests held that text; with `&first`, the first of them. */
    countUrl: string;
  }
}

/** One scripted model for all tests in workerd: goals carry their scripts. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const model = await startScriptedModel(stepOf);
  const counter = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const text = searchParams.get("q") ?? "";
    const found = model.requests.filter(({ body }) => JSON.stringify(body.messages[0]).includes(text));
    response.end(searchParams.has("first") ? JSON.stringify(found[0]?.body) : String(found.length));
  });
  await new Promise<void>((resolve) => counter.listen(0, "127.0.0.1", resolve));
  project.provide("modelUrl", model.url);
  project.provide("countUrl", `http://127.0.0.1:${(counter.address() as AddressInfo).port}/`);
  return async () => {
    await model.close();
    counter.closeAllConnections();
    counter.close();
  };
}
