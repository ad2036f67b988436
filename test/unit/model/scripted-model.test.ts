import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { byGoal, delayed, held, startScriptedModel } from "../../support/scripted-model.ts";
import type { Script, ScriptedModel } from "../../support/scripted-model.ts";

let server: ScriptedModel | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const post = (url: string, goal: string, rest: object = {}) =>
  fetch(`${url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: goal }], ...rest }),
  });

async function textOf(url: string, goal: string): Promise<string> {
  // The shape this server answers with.
  const message = (await (await post(url, goal)).json()) as {
    content?: { text: string }[];
    error?: { message: string };
  };
  return message.content?.[0]?.text ?? message.error?.message ?? "";
}

const start = async (script: Script) => (server = await startScriptedModel(script));

describe("the scripted model", () => {
  it("takes its steps in order and refuses more requests than it has steps", async () => {
    const { url } = await start([{ text: "one" }, { text: "two" }]);
    expect([await textOf(url, "g"), await textOf(url, "g")]).toEqual(["one", "two"]);
    expect((await post(url, "g")).status).toBe(400);
  });

  it("answers plain JSON unless asked to stream", async () => {
    const { url } = await start(() => ({ text: "hi", code: "done(1)" }));
    expect(await (await post(url, "g")).json()).toMatchObject({
      content: [
        { type: "text", text: "hi" },
        { type: "tool_use", name: "run_code", input: { code: "done(1)" } },
      ],
      stop_reason: "tool_use",
    });
    const streamed = await post(url, "g", { stream: true });
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
    expect(await streamed.text()).toMatch(/^event: message_start\n[^]*event: message_stop\n[^]*$/);
  });

  it("thinks before the rest, and signs it", async () => {
    const { url } = await start([{ thinking: "Hm.", code: "done(1)" }]);
    expect(await (await post(url, "g")).json()).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hm.", signature: "signature_1" },
        { type: "tool_use", name: "run_code" },
      ],
    });
  });

  it("counts a token for four characters of system, tools and messages, unless told", async () => {
    const { url } = await start([{ text: "a" }, { text: "b", usage: { input_tokens: 7 } }]);
    const body = { system: "x".repeat(400), tools: [{ name: "t" }] };
    const chars = JSON.stringify([body.system, body.tools, [{ role: "user", content: "g" }]]).length;
    expect(await (await post(url, "g", body)).json()).toMatchObject({ usage: { input_tokens: Math.ceil(chars / 4) } });
    expect(await (await post(url, "g", body)).json()).toMatchObject({ usage: { input_tokens: 7 } });
  });

  it("gives each goal its own position, the longest matching name first", async () => {
    const { url } = await start(
      byGoal({ "goal 1": [{ text: "1a" }, { text: "1b" }], "goal 10": [{ text: "10a" }, { text: "10b" }] }),
    );
    const goals = ["do goal 10", "do goal 1", "do goal 10", "do goal 1", "other"];
    const texts: string[] = [];
    for (const goal of goals) texts.push(await textOf(url, goal));
    expect(texts).toEqual(["10a", "1a", "10b", "1b", "No script for the goal: other"]);
  });

  it("holds an answer until told", async () => {
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    const { url } = await start(byGoal({ slow: [held(gate.promise, { text: "s" })], quick: [{ text: "q" }] }));
    const slow = textOf(url, "slow").then((text) => order.push(text));
    order.push(await textOf(url, "quick"));
    gate.resolve();
    await slow;
    expect(order).toEqual(["q", "s"]);
  });

  it("runs as a process and prints its address first", async () => {
    const folder = mkdtempSync(join(tmpdir(), "scripted-model-"));
    const file = join(folder, "script.json");
    writeFileSync(file, JSON.stringify({ hello: [delayed(1, { text: "from a file" })] }));
    const program = join(import.meta.dirname, "../../support/scripted-model.ts");
    const child = spawn(process.execPath, [program, "--script", file], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [url] = await once(createInterface(child.stdout), "line");
      expect(await textOf(String(url), "hello there")).toBe("from a file");
    } finally {
      child.kill();
      await once(child, "exit");
      rmSync(folder, { recursive: true });
    }
  });
});
