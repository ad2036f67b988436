import type { CellAnswer } from "./cell.ts";
import type { RunStatus } from "./goal.ts";
import type { Tier, TokenUsage } from "./model.ts";

/** What happened in a run, in order. Ids are per run, start at 1 and have no gaps. */
export type RunEvent =
  | { type: "run-queued"; goal: string }
  | { type: "run-started" }
  | { type: "run-resumed"; reason: string }
  | { type: "run-waiting"; on: string; decisions: string[] }
  | { type: "model-called"; turn: number; tier: Tier }
  | { type: "model-retried"; turn: number; attempt: number; reason: string; delayMs: number }
  | { type: "model-replied"; turn: number; model: string; text: string; usage: TokenUsage; costUsd: number | null }
  | { type: "cell-started"; cell: number; turn: number; code: string }
  | { type: "cell-logged"; cell: number; text: string }
  | { type: "cell-finished"; cell: number; turn: number; answer: CellAnswer }
  | { type: "plan-written"; revision: number; steps: { id: string; agent: string; needs: string[] }[] }
  | { type: "agent-started"; agent: string; subtask: string; name: string; tier: Tier; reason: string; attempt: number }
  | { type: "agent-waiting"; agent: string; name: string; on: string }
  | { type: "agent-escalated"; agent: string; need: string; why: string; decision: string }
  | {
      type: "agent-ended";
      agent: string;
      subtask: string;
      name: string;
      status: RunStatus;
      failure?: { kind: string; message: string };
    }
  | { type: "circuit-opened"; name: string; reason: string }
  | { type: "run-ended"; status: RunStatus; result?: unknown; failure?: { kind: string; message: string } };

export type StoredEvent = { id: number; at: string } & RunEvent;
