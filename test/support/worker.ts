/** The Worker under test: the product as it is, but for agents with tools whose effects can be counted. */
import { Coordinator as ProductCoordinator } from "../../durable-objects/coordinator.ts";
import { SubAgent as ProductSubAgent } from "../../durable-objects/sub-agent.ts";
import type { AnyTool } from "../../tool-bindings/define.ts";
import { APPROVAL_TOOLS } from "./approval-tools.ts";
import { EFFECT_TOOLS } from "./effect-tools.ts";

export { default, CellRunner, Registry } from "../../src/index.ts";
export { Library } from "./unchecked-library.ts";

export class Coordinator extends ProductCoordinator {
  protected override tools(): readonly AnyTool[] {
    return [...super.tools(), ...EFFECT_TOOLS, ...APPROVAL_TOOLS];
  }
}

export class SubAgent extends ProductSubAgent {
  protected override tools(): readonly AnyTool[] {
    return [...super.tools(), ...EFFECT_TOOLS, ...APPROVAL_TOOLS];
  }
}
