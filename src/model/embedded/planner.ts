import type { CellAnswer } from "../../contract/cell.ts";
import { fail, ok, type Result } from "../../contract/failure.ts";
import type { Exchange, ModelReply, ModelRequest } from "../../contract/model.ts";
import type { Model } from "../port.ts";
import { distil } from "./distil.ts";
import { choose } from "./choice.ts";

/**
 * A stand-in for a model where none is configured: it recognises common requests and answers with a cell that computes
 * them. It needs no network and costs nothing. It never guesses: a goal it has no recipe for is a `no-recipe` failure.
 */
export function embeddedPlanner(): Model {
  return {
    label: "embedded planner",
    distil,
    async call(request, { signal }) {
      signal.throwIfAborted();
      return plan(request);
    },
  };
}

function plan({ brief, exchanges, plain }: ModelRequest): Result<ModelReply> {
  if (plain)
    return fail({ kind: "no-recipe", goal: brief.goal, recipes: ["write cells for goals; it can't answer llm()"] });
  const cells = exchanges.filter(({ call }) => call !== undefined);
  const last = cells.at(-1);
  if (last !== undefined) return afterCell(last, cells.length);
  const choice = choose(brief);
  if (choice.kind === "none") return fail({ kind: "no-recipe", goal: brief.goal, recipes: choice.lines });
  const text = `Embedded planner: ${choice.title.slice(0, 200)}.`;
  return ok({ ...FREE, text, call: { id: `cell-${exchanges.length + 1}`, code: choice.code } });
}

const FREE = {
  model: "embedded-planner",
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
};

/** Its cells call `done`, so a turn after one means that it failed; another try would be the same cell. */
function afterCell({ answer = "{}" }: Exchange, cell: number): Result<ModelReply> {
  // The coordinator wrote it from a CellAnswer.
  const { error, value } = JSON.parse(answer) as CellAnswer;
  if (error !== undefined) return fail({ kind: "cell-failed", cell, error });
  return ok({ ...FREE, text: value ?? "The cell ended without an answer." });
}
