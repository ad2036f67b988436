import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { StoredEvent } from "../contract/event.ts";
import type { GoalRequest, RunView } from "../contract/goal.ts";
import { SseReader } from "./sse.ts";
import { reasonOf } from "./usage.ts";

/** What an API answers instead of what was asked for (RFC 9457). */
export interface Problem {
  status: number;
  title: string;
  detail: string;
}

export type Trouble = { kind: "unreachable"; reason: string } | { kind: "refused"; problem: Problem };
export type Answer<T> = { ok: true; value: T } | { ok: false; trouble: Trouble };

const REQUEST_MS = 30_000; // every call but the events answers at once
const IDLE_MS = 60_000; // a silent stream may be a dead one; asking again costs nothing

/** The HTTP API of one server. Holds no state; no method rejects. */
export class PraxisClient {
  readonly #url: string;
  readonly #key: string | undefined;

  constructor(server: { url: string; key?: string | undefined }) {
    this.#url = server.url;
    this.#key = server.key;
  }

  /** `idempotencyKey` makes a second submission, after a lost answer, the same run (E2). */
  submit(request: GoalRequest, idempotencyKey: string = randomUUID()): Promise<Answer<RunView>> {
    return this.#call("/v1/goals", {
      method: "POST",
      body: JSON.stringify(request),
      headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
    });
  }

  view(id: string): Promise<Answer<RunView>> {
    return this.#call(`/v1/goals/${encodeURIComponent(id)}`, {});
  }

  cancel(id: string): Promise<Answer<RunView>> {
    return this.#call(`/v1/goals/${encodeURIComponent(id)}/cancel`, { method: "POST" });
  }

  /** The events after `after`, until the server closes the stream, or it is lost, or `signal` aborts: see `follow`. */
  async events(
    id: string,
    options: { after: number; signal: AbortSignal; onEvent(event: StoredEvent): void },
  ): Promise<Answer<"closed">> {
    const idle = new AbortController();
    const timer = setTimeout(() => idle.abort(new Error(`silent for ${IDLE_MS / 1000} s`)), IDLE_MS);
    const signal = AbortSignal.any([options.signal, idle.signal]);
    try {
      const headers = {
        accept: "text/event-stream",
        ...(options.after > 0 && { "last-event-id": `${options.after}` }),
      };
      const response = await this.#fetch(`/v1/goals/${encodeURIComponent(id)}/events`, { headers, signal });
      if (!response.ok) return { ok: false, trouble: { kind: "refused", problem: await readProblem(response) } };
      const reader = new SseReader();
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        timer.refresh();
        for (const message of reader.push(decoder.decode(chunk, { stream: true })))
          options.onEvent({ ...JSON.parse(message.data), id: Number(message.id) } as StoredEvent); // the server's contract
      }
      return { ok: true, value: "closed" };
    } catch (error) {
      return unreachable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #call(path: string, init: RequestInit): Promise<Answer<RunView>> {
    try {
      const response = await this.#fetch(path, { ...init, signal: AbortSignal.timeout(REQUEST_MS) });
      if (!response.ok) return { ok: false, trouble: { kind: "refused", problem: await readProblem(response) } };
      return { ok: true, value: (await response.json()) as RunView }; // the server's contract
    } catch (error) {
      return unreachable(error);
    }
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#key !== undefined) headers.set("authorization", `Bearer ${this.#key}`);
    return fetch(this.#url + path, { ...init, headers });
  }
}

/** fetch hides the cause of a failure in its cause. */
function unreachable(error: unknown): { ok: false; trouble: Trouble } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return { ok: false, trouble: { kind: "unreachable", reason: reasonOf(cause) || String(cause) } };
}

async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text();
  const problem: Problem = { status: response.status, title: response.statusText, detail: text.slice(0, 500) };
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== "object" || said === null) return problem;
    if ("title" in said && typeof said.title === "string") problem.title = said.title;
    problem.detail = "detail" in said && typeof said.detail === "string" ? said.detail : "";
    // One error is what the detail says already.
    if ("errors" in said && Array.isArray(said.errors) && said.errors.length > 1)
      problem.detail += said.errors.map((error) => `\n  ${JSON.stringify(error)}`).join("");
  } catch {
    // not from Praxis: the text stands for itself
  }
  return problem;
}

/** `other` answered, but is not Praxis; `silent` took the connection and said nothing in time. */
export type Health = "praxis" | "other" | "silent" | "none";

/** Must not reject. Not `fetch`: each probe is a connection of its own, and a local certificate is its own. */
export function probeHealth(url: string, timeoutMs: number): Promise<Health> {
  return new Promise((resolve) => {
    const request = url.startsWith("https:") ? httpsRequest : httpRequest;
    const probe = request(`${url}/healthz`, { agent: false, rejectUnauthorized: false, timeout: timeoutMs });
    const deadline = setTimeout(() => end("silent"), timeoutMs);
    const end = (health: Health): void => {
      clearTimeout(deadline);
      resolve(health);
      probe.destroy();
    };
    probe.on("timeout", () => end("silent"));
    probe.on("error", (error: NodeJS.ErrnoException) =>
      end(error.code?.startsWith("HPE_") === true ? "other" : error.code === "ECONNRESET" ? "silent" : "none"),
    );
    probe.on("response", (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk));
      response.on("error", () => end("other"));
      response.on("end", () => end(isPraxis(body) ? "praxis" : "other"));
    });
    probe.end();
  });
}

function isPraxis(body: string): boolean {
  try {
    const said: unknown = JSON.parse(body);
    return typeof said === "object" && said !== null && "service" in said && said.service === "praxis";
  } catch {
    return false;
  }
}
