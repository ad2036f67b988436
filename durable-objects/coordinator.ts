/**
 * One session: its goals, one after another, the kernel they share, and the agents they start.
 *
 * Adds to `AgentObject` what only the top of a tree has: goals from outside, subtasks below (`Subtasks`), help for agents that
 * escalate (`Helpdesk`), and the report to the tenant's registry.
 */
import { AgentDefinition, type AgentView, parseSubtask, type SubtaskView } from "../src/contract/agent.ts";
import { CapabilityName } from "../src/contract/capability.ts";
import type { CoordinatorApi } from "../src/contract/coordinator.ts";
import type { StoredEvent } from "../src/contract/event.ts";
import { fail, type Failure, ok, type Result } from "../src/contract/failure.ts";
import { type DecisionAnswer, type GoalRequest, isEnded, type RunView } from "../src/contract/goal.ts";
import type { AgentReport, CheckIn, ParentApi } from "../src/contract/sub-agent.ts";
import { configureModel } from "../src/model/configure.ts";
import { embeddedPlanner } from "../src/model/embedded/planner.ts";
import { systemPrompt } from "../src/model/prompt.ts";
import { DEFAULT_BUDGET, grantedBudget, parseMaximum } from "../src/orchestration/budget.ts";
import type { HelpRequest } from "../tool-bindings/host.ts";
import { AgentObject } from "./agent-object.ts";
import { agentsHost, type RunAgents } from "./agents-host.ts";
import { Aftermath } from "./aftermath.ts";
import { capabilityTurn } from "./capability-turn.ts";
import { agentName, libraryOf, registryOf } from "./env.ts";
import { Helpdesk } from "./helpdesk.ts";
import { hintsFor } from "./hints.ts";
import { logKey } from "./log.ts";
import type { AgentProfile } from "./profile.ts";
import type { RunRow } from "./run-store.ts";
import { RunReader } from "./run-reader.ts";
import { runView } from "./run-view.ts";
import type { AgentRow } from "./subtask-store.ts";
import { agentView, pendingBelow, subtaskView } from "./subtask-view.ts";
import { Subtasks } from "./subtasks.ts";
import { type BaseToolHost, toolHost } from "./tool-host.ts";

export class Coordinator extends AgentObject implements CoordinatorApi, ParentApi {
  readonly #subtasks = new Subtasks({
    stores: this.stores,
    feed: this.feed,
    scope: () => this.#scope(),
    agent: (id) => this.env.SUB_AGENT.getByName(agentName(this.#scope().tenant, id)),
    workspace: (run) => this.workspace(run),
    ask: (run, request, signal) => this.driver.ask(run, request, signal),
    record: (run, event) => this.driver.tell(run, event),
    halted: (run) => this.driver.park(run),
    resumed: (run) => this.#goOn(run),
  });
  readonly #reader = new RunReader(this.stores, this.feed);
  readonly #helpdesk = new Helpdesk({
    stores: this.stores,
    agents: (run) => this.#agents(run),
    ask: (run, request, signal) => this.driver.ask(run, request, signal),
    record: (run, event) => this.driver.tell(run, event),
  });

  readonly #aftermath = new Aftermath({
    stores: this.stores,
    library: () => libraryOf(this.env, this.#scope().tenant),
    model: () => configureModel(this.env, embeddedPlanner()),
    ask: (run, request, signal) => this.driver.ask(run, request, signal),
    saved: (run, tokens) => this.env.REGISTRY.getByName(this.#scope().tenant).noteSaved(run, tokens),
    settled: (row) => this.report(row),
    distils: this.env.PRAXIS_DISTIL?.trim().toLowerCase() !== "off",
  });

  async start(run: string, request: GoalRequest, scope: { tenant: string; session: string }): Promise<RunView> {
    // Unreadable, it must not mean unlimited: then the defaults are the most.
    const maximum = parseMaximum(this.env.PRAXIS_MAX_BUDGET) ?? DEFAULT_BUDGET;
    const { goal, inputs = {}, budget = {}, approvals, retention } = request;
    const order = { id: run, goal, inputs, budget: grantedBudget(budget, maximum), autoApprove: approvals === "auto" };
    await this.enqueue({ ...order, retention }, () => this.ctx.storage.kv.put("scope", scope));
    return this.#view(this.stores.runs.find(run)!);
  }

  async startCapability(...[run, order, scope]: Parameters<CoordinatorApi["startCapability"]>): Promise<void> {
    const maximum = parseMaximum(this.env.PRAXIS_MAX_BUDGET) ?? DEFAULT_BUDGET;
    const { name, goal, input, version, approvals } = order;
    const budget = grantedBudget({ turns: 1, cells: 1 }, maximum);
    await this.enqueue({ id: run, goal, inputs: { input }, budget, autoApprove: approvals === "auto" }, () => {
      this.ctx.storage.kv.put("scope", scope);
      this.stores.runs.recordReply(run, 1, { reply: capabilityTurn(name, version) });
    });
    this.stores.runs.markSettled(run); // it teaches nothing: nobody decided anything in it
  }

  async view(run: string): Promise<Result<RunView>> {
    return this.withRun(run, (row) => this.#view(row));
  }

  async wait(run: string, ms: number): Promise<Result<RunView>> {
    const until = Date.now() + ms;
    for (;;) {
      const row = this.stores.runs.find(run);
      const left = until - Date.now();
      if (row === undefined || isEnded(row.status) || this.isHeld(run) || left <= 0) return this.view(run);
      await this.feed.wait(run, left);
    }
  }

  async cancel(run: string): Promise<Result<RunView>> {
    if (this.stores.runs.find(run) === undefined) return fail({ kind: "unknown-run", id: run });
    await Promise.all([this.stop(run), this.#subtasks.cancelRun(run)]);
    return this.view(run);
  }

  async decide(run: string, id: string, answer: DecisionAnswer): Promise<Result<RunView>> {
    const at = id.lastIndexOf(".");
    const agent = at < 0 ? undefined : this.stores.subtasks.agent(`${run}.${id.slice(0, at)}`);
    const done =
      agent === undefined
        ? await this.answer(run, id, answer)
        : await this.#decideBelow(agent, id.slice(at + 1), answer);
    if (done.ok) return this.view(run);
    if (done.failure.kind !== "unknown-decision") return done;
    const pending = [...this.pending(run), ...pendingBelow(this.stores, run)].map((one) => one.id);
    return fail({ kind: "unknown-decision", id, pending });
  }

  async cells(...args: Parameters<RunReader["cells"]>): ReturnType<CoordinatorApi["cells"]> {
    return this.#reader.cells(...args);
  }

  async variables(run: string): ReturnType<CoordinatorApi["variables"]> {
    return this.#reader.variables(run);
  }

  async variable(run: string, name: string): ReturnType<CoordinatorApi["variable"]> {
    return this.#reader.variable(run, name);
  }

  async events(...args: Parameters<RunReader["events"]>): ReturnType<CoordinatorApi["events"]> {
    return this.#reader.events(...args);
  }

  async agents(
    run: string,
    page: { after: number; limit: number },
  ): Promise<Result<{ items: AgentView[]; next?: number }>> {
    return this.withRun(run, () => {
      const rows = this.stores.subtasks.agentsPage(run, { after: page.after, limit: page.limit + 1 });
      const shown = rows.slice(0, page.limit);
      return { items: shown.map(agentView), ...(rows.length > page.limit ? { next: shown.at(-1)!.position } : {}) };
    });
  }

  async subtask(id: string): Promise<Result<SubtaskView>> {
    const row = this.stores.subtasks.find(id);
    if (row === undefined) return fail({ kind: "unknown-subtask", id });
    return ok(subtaskView(this.stores, row, await this.#subtasks.outcome(row)));
  }

  async cancelSubtask(id: string): Promise<Result<SubtaskView>> {
    await this.#subtasks.cancel(id);
    return this.subtask(id);
  }

  async log(id: string): Promise<Result<{ agent: string; events: StoredEvent[] }[]>> {
    const row = this.stores.subtasks.find(id);
    if (row === undefined) return fail({ kind: "unknown-subtask", id });
    const agents = this.stores.subtasks.agentsOf(id).map((agent) => agent.id);
    return ok(await Promise.all(agents.map(async (agent) => ({ agent, events: await this.#logOf(row.run, agent) }))));
  }

  async checkIn(agent: string, note: CheckIn): Promise<{ refused?: Failure; trusted: string[] }> {
    const refused = this.#subtasks.checkIn(agent, note);
    const run = parseSubtask(agent.slice(0, agent.lastIndexOf(".")))?.run ?? "";
    return { trusted: this.stores.decisions.trusted(run), ...(refused === undefined ? {} : { refused }) };
  }

  async note(agent: string, report: AgentReport): Promise<void> {
    await this.#subtasks.note(agent, report);
  }

  async help(agent: string, request: HelpRequest, key: string): Promise<string> {
    return JSON.stringify(await this.#helpdesk.help(agent, request, key));
  }

  protected override profile(): AgentProfile {
    return { system: systemPrompt(), tier: "medium", grants: [] };
  }

  protected override tenant(): string {
    return this.#scope().tenant;
  }

  protected override toolHost(run: string): BaseToolHost {
    const goal = this.stores.runs.find(run)?.goal ?? "";
    return { ...toolHost(this.env, { tenant: this.tenant(), goal }), agents: this.#agents(run) };
  }

  protected override workspace(run: string): string {
    return `workspaces/${this.ctx.id.toString()}/${run}`;
  }

  protected override results(run: string): string {
    return `results/${this.workspace(run)}`;
  }

  protected override openBelow(run: string): boolean {
    return pendingBelow(this.stores, run).length > 0;
  }

  protected override tellsSpending(): boolean {
    return true;
  }

  protected override hasWorkBelow(): boolean {
    return this.stores.subtasks.hasOpen() || this.stores.runs.unsettled().length > 0;
  }

  protected override async tend(): Promise<void> {
    await this.#subtasks.tend();
    // Not awaited: the next goal does not wait for what is drawn from the last.
    this.ctx.waitUntil(this.#aftermath.settle());
  }

  protected override hints(goal: string): Promise<string[]> {
    return hintsFor(libraryOf(this.env, this.#scope().tenant), goal);
  }

  protected override async report({ id, status, endedAt }: Pick<RunRow, "id" | "status" | "endedAt">): Promise<void> {
    await this.env.REGISTRY.getByName(this.#scope().tenant).note({
      id,
      status,
      spent: this.stores.ledger.byModel(id),
      ...(endedAt === undefined ? {} : { endedAt: new Date(endedAt).toISOString() }),
    });
  }

  #agents(run: string): RunAgents {
    return agentsHost({
      run,
      stores: this.stores,
      subtasks: this.#subtasks,
      registry: () => registryOf(this.env, this.#scope().tenant),
      capability: (name) => this.#agentKept(name),
      bucket: this.env.BUCKET,
      results: this.results(run),
      record: (event) => this.driver.tell(run, event),
      view: (id) => this.subtask(id),
    });
  }

  /** Its own object knows what was asked and answered; what is approved for the run counts for the whole tree. */
  async #decideBelow(agent: AgentRow, decision: string, answer: DecisionAnswer): Promise<Result<undefined>> {
    const stub = this.env.SUB_AGENT.getByName(agentName(this.#scope().tenant, agent.id));
    const done = await stub.decide(decision, answer);
    const tool = agent.pending.find(({ id }) => id === decision)?.tool;
    const isForAll = "remember" in answer && answer.remember === "run" && answer.decision === "approve";
    if (done.ok && isForAll && tool !== undefined) this.stores.decisions.trust(agent.run, tool);
    return done;
  }

  async #agentKept(name: string): Promise<AgentDefinition | undefined> {
    if (!CapabilityName.safeParse(name).success) return undefined;
    const kept = await libraryOf(this.env, this.#scope().tenant).choose(name);
    return kept.ok && kept.value.kind === "agent" ? AgentDefinition.safeParse(kept.value.agent).data : undefined;
  }

  /** A cell that was put aside while its agents waited for people is replayed. */
  #goOn(run: string): void {
    this.stores.storage.transactionSync(() => this.resume(run, "an agent goes on"));
    this.feed.notify(run);
    this.ctx.waitUntil(this.advance());
  }

  async #logOf(run: string, agent: string): Promise<StoredEvent[]> {
    const log = await this.env.BUCKET.get(logKey(this.workspace(run), agent));
    return log === null ? [] : log.json<StoredEvent[]>();
  }

  /** Known since the first goal came in. */
  #scope(): { tenant: string; session: string } {
    return this.ctx.storage.kv.get<{ tenant: string; session: string }>("scope") ?? { tenant: "", session: "" };
  }

  #view(row: RunRow): Promise<RunView> {
    return runView(this.stores, row, this.#scope().session);
  }
}
