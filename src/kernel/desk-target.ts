import { RpcTarget } from "cloudflare:workers";
import { breathe } from "./breath.ts";
import { type CellLimits, type DeskApi, MAX_ARGS_CHARS, PART_CHARS } from "./job.ts";

/** What stands behind the desk: tool calls and logs. The kernel knows no tool. */
export interface DeskBackend {
  /** Answers a `CallReply` as JSON text. Must not reject for what a tool did. */
  call(tool: string, args: string): Promise<string>;
  log(text: string): void;
}

const BREATHE_EVERY = 16; // messages; some 20 ms of them
const PART_OVERHEAD_CHARS = 1_000; // so that many empty ones are not free

/**
 * The one object of the host that a cell's isolate holds. Its methods take text and numbers, checked here: whatever else a
 * cell managed to send is refused before anything looks at it (J5, K3).
 */
export class DeskTarget extends RpcTarget implements DeskApi {
  readonly #backend: DeskBackend;
  readonly #limits: CellLimits;
  readonly #large: Map<string, string>;
  readonly #kept = new Map<string, string[]>();
  #calls = 0;
  #logChars = 0;
  #keptChars = 0;
  #messages = 0;

  /** `large`: the variables that travel in parts. */
  constructor(backend: DeskBackend, limits: CellLimits, large: Map<string, string>) {
    super();
    this.#backend = backend;
    this.#limits = limits;
    this.#large = large;
  }

  async call(tool: string, args: string): Promise<string> {
    requireText(tool, 200);
    requireText(args, MAX_ARGS_CHARS);
    if (++this.#calls > this.#limits.calls) throw new RangeError("too many calls");
    await this.#breathe();
    return this.#backend.call(tool, args);
  }

  async log(text: string): Promise<void> {
    requireText(text, this.#limits.logChars);
    this.#logChars += text.length + 1;
    if (this.#logChars > this.#limits.logChars) throw new RangeError("too many logs");
    this.#backend.log(text);
    await this.#breathe();
  }

  async #breathe(): Promise<void> {
    if (++this.#messages % BREATHE_EVERY === 0) await breathe();
  }

  async load(name: string, part: number): Promise<string> {
    requireText(name, 200);
    return this.#large.get(name)?.slice(part * PART_CHARS, (part + 1) * PART_CHARS) ?? "";
  }

  async keep(name: string, part: number, text: string): Promise<void> {
    requireText(name, 200);
    requireText(text, PART_CHARS);
    this.#keptChars += text.length + PART_OVERHEAD_CHARS;
    if (this.#keptChars > 4 * this.#limits.variableChars) throw new RangeError("too much to keep");
    const parts = this.#kept.get(name) ?? [];
    if (part !== parts.length) throw new RangeError("parts come in order");
    this.#kept.set(name, [...parts, text]);
  }

  /** For the host alone: a `#`-private name is no RPC method. */
  static kept(desk: DeskTarget, name: string): string | undefined {
    return desk.#kept.get(name)?.join("");
  }
}

function requireText(value: unknown, max: number): asserts value is string {
  if (typeof value !== "string" || value.length > max) throw new TypeError("the desk takes text of limited length");
}
