import { CELL_API, WAITING_TOOLS } from "../../contract/cell.ts";
import { encode, TooLong } from "../codec.ts";
import { type CallReply, type CellLimits, type DeskApi, MAX_ARGS_CHARS } from "../job.ts";
import { argumentsText } from "./arguments.ts";
import type { Clock } from "./clock.ts";
import { Lane } from "../lane.ts";
import type { Stopper } from "./stop.ts";

const MAX_IN_FLIGHT = 64; // calls on their way at once; a cell that starts more of them waits for room

interface Surroundings {
  desk: DeskApi;
  clock: Clock;
  stopper: Stopper;
  limits: CellLimits;
  done: (encoded: string) => void;
}

/** A tool's refusal, as the cell's code sees it. */
class ToolError extends Error {
  override name = "ToolError";
  readonly kind: string;
  readonly data: unknown;
  constructor(error: { kind: string; message: string; data?: unknown }) {
    super(error.message);
    this.kind = error.kind;
    this.data = error.data;
  }
}

export interface CellApi {
  names: Record<string, unknown>;
  call(tool: string, args: unknown): Promise<unknown>;
}

/** The names a cell can use (design 3.2). Every one of them ends in a call to the desk, but for `done`. */
export function cellApi({ desk, clock, stopper, limits, done }: Surroundings): CellApi {
  let calls = 0;
  let ended = false;
  const lane = new Lane(MAX_IN_FLIGHT);
  const waitingLane = new Lane(MAX_IN_FLIGHT);
  const waiting = new Set<string>(WAITING_TOOLS);
  // Not async: the call too many stops the cell where it stands, also one that waits for none of its calls.
  const call = (tool: string, args: unknown): Promise<unknown> => {
    if (++calls > limits.calls) stopper.stop("calls", `The cell made more than ${limits.calls} calls.`);
    return send(tool, args);
  };
  const send = async (tool: string, args: unknown): Promise<unknown> => {
    const text = argumentsText(tool, args); // now: what the cell does with its object later is its own affair
    if (text.length > MAX_ARGS_CHARS)
      throw new ToolError({
        kind: "too-large",
        message: `The arguments of ${tool} are ${text.length} characters long; a call takes ${MAX_ARGS_CHARS}. Split them, or pass the path of a file.`,
      });
    const way = waiting.has(tool) ? waitingLane : lane;
    const reply = JSON.parse(await way.pass(() => desk.call(tool, text))) as CallReply;
    clock.advance(reply.at);
    if (reply.ok) return reply.value;
    throw new ToolError(reply.error);
  };
  /** Undefined when it is too long. */
  const result = (value: unknown): string | undefined => {
    try {
      const { data, functions } = encode(value, { maxChars: limits.resultChars, plainInstances: true });
      if (functions.length > 0) throw new TypeError("done() takes data; its value holds a function.");
      return data.length > limits.resultChars ? undefined : data;
    } catch (error) {
      if (error instanceof TooLong) return undefined;
      throw error;
    }
  };
  const api: Record<string, unknown> = {
    tools: family("", call),
    files: {
      read: (path: unknown) => call("files.read", { path }),
      write: (path: unknown, text: unknown) => call("files.write", { path, text }),
      list: (folder?: unknown) => call("files.list", folder === undefined ? {} : { folder }),
    },
    human: { ask: (question: unknown, options?: object) => call("human.ask", { question, ...options }) },
    llm: Object.assign((prompt: unknown, options?: object) => call("llm.call", { prompt, ...options }), {
      spawn: (prompt: unknown, options?: object) => call("llm.spawn", { prompt, ...options }),
    }),
    agents: {
      call: (who: unknown, task?: object) => call("agents.call", { who, ...task }),
      spawn: (who: unknown, task?: object) => call("agents.spawn", { who, ...task }),
      status: (uri: unknown) => call("agents.status", { uri }),
      result: (uri: unknown) => call("agents.result", { uri }),
      cancel: (uri: unknown) => call("agents.cancel", { uri }),
      define: (definition: unknown) => call("agents.define", definition),
      list: () => call("agents.list", {}),
      plan: (steps: unknown) => call("agents.plan", { steps }),
    },
    memory: {
      recall: (query: unknown, options?: object) => call("memory.recall", { query, ...options }),
      remember: (text: unknown) => call("memory.remember", { text }),
    },
    library: {
      search: (query: unknown, options?: object) => call("library.search", { query, ...options }),
      get: (name: unknown) => call("library.get", { name }),
      save: (draft: unknown) => call("library.save", draft),
      run: (name: unknown, input?: unknown, options?: object) => call("library.run", { name, input, ...options }),
    },
    escalate: (request: unknown) => call("agents.escalate", request),
    done: (value: unknown): void => {
      if (ended) throw new Error("done() was already called: it ends the run, and once.");
      const data = result(value);
      if (data === undefined)
        return stopper.stop("output", `The result of done() is longer than ${limits.resultChars} characters.`);
      ended = true;
      done(data);
    },
  };
  for (const name of CELL_API) if (!(name in api)) api[name] = unavailable(name);
  return { names: api, call };
}

/**
 * `tools.http.get(args)` is `call("http.get", args)`, and `tools.call("http.get", args)` is the same call. A name without a dot
 * is a capability's: `tools["sum-orders"](input)`.
 */
function family(prefix: string, call: (tool: string, args: unknown) => Promise<unknown>): unknown {
  const target = (args: unknown): Promise<unknown> => call(prefix, args);
  return new Proxy(target, {
    get: (_, key) => {
      if (typeof key !== "string" || key === "then" || key === "toJSON") return undefined;
      if (prefix === "" && key === "search")
        return (query: unknown, options?: object) => call("tools.search", { query, ...options });
      if (prefix === "" && key === "describe") return (name: unknown) => call("tools.describe", { name });
      if (prefix === "" && key === "call") return (name: unknown, args: unknown) => call(String(name), args);
      return family(prefix === "" ? key : `${prefix}.${key}`, call);
    },
    apply: (_target, _this, args: unknown[]) => {
      if (prefix === "") throw new TypeError('"tools" is no tool. Call one: tools.family.tool({...}).');
      return call(prefix, args[0]);
    },
  });
}

function unavailable(name: string): unknown {
  const refuse = (): never => {
    throw new ReferenceError(`"${name}" is not available in this agent.`);
  };
  return new Proxy(refuse, {
    get: (_, key) => (typeof key === "string" && key !== "then" ? refuse : undefined),
    apply: refuse,
  });
}
