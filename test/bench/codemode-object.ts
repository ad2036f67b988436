import {
  CodemodeConnector,
  type ConnectorTools,
  createCodemodeRuntime,
  DynamicWorkerExecutor,
} from "@cloudflare/codemode";
import { DurableObject } from "cloudflare:workers";
import type { BenchEnv } from "./worker.ts";

class Bench extends CodemodeConnector<BenchEnv> {
  override name(): string {
    return "bench";
  }

  protected override tools(): ConnectorTools {
    return {
      echo: {
        description: "Answers what it was given.",
        inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        execute: (args) => (args as { n: number }).n, // the code under test sends no other shape
      },
    };
  }
}

/** codemode as its documentation sets it up: a runtime on the object, its log in the runtime's facet. */
export class BenchCodemode extends DurableObject<BenchEnv> {
  readonly #runtime = createCodemodeRuntime({
    ctx: this.ctx,
    executor: new DynamicWorkerExecutor({ loader: this.env.LOADER }),
    connectors: [new Bench(this.ctx, this.env)],
  });

  async execute(code: string, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const outcome = await this.#runtime.execute({ code });
      if (outcome.status !== "completed") throw new Error(`codemode: ${JSON.stringify(outcome)}`);
    }
  }
}
