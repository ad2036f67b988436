/**
 * The transcript job: documents to be tagged, once by sub-agents and once by direct tool calls, on the same scripted model and by
 * the same counter: the tokens of every request's body, with a real tokenizer.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { RunView } from "../../src/contract/goal.ts";
import { type MessagesBody, type ScriptedModel, startScriptedModel, type Step } from "./scripted-model.ts";

const TAGS = ["billing", "technical", "praise"];
const GOAL = "Tag each transcript as billing, technical or praise.";
const TASK = "Read the transcript in data and tag it as billing, technical or praise.";
const WORDS =
  "the caller said that service line order account router invoice thanks again today please agent waits".split(" ");

/** About so many tokens each; its tag stands in it, somewhere in the middle. */
export const transcripts = (count: number, tokens: number): string[] =>
  Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: tokens }, (_unused, at) => WORDS[(at * 7 + i * 3 + (at >> 3)) % WORDS.length]);
    words.splice(Math.floor(tokens / 2), 0, `The matter is ${TAGS[i % TAGS.length]}.`);
    return words.join(" ");
  });
export const tagsOf = (count: number): string[] => Array.from({ length: count }, (_, i) => TAGS[i % TAGS.length]!);

/** Everything a request holds is paid for. */
const tokensOf = ({ system, tools, messages }: MessagesBody): number =>
  countTokens(JSON.stringify({ system, tools, messages }));
const paid = (body: MessagesBody, step: Step): Step => ({
  ...step,
  usage: { input_tokens: tokensOf(body), output_tokens: countTokens(JSON.stringify(step)) },
});
const textOf = (body: MessagesBody): string => JSON.stringify(body.messages);
const tagIn = (text: string): string => /The matter is (\w+)\./.exec(text)?.[1] ?? "none";

const COORDINATOR_CODE = `const output = { type: "object", properties: { tag: { enum: ${JSON.stringify(TAGS)} } }, required: ["tag"] };
const tags = await Promise.all(docs.map((data) => agents.call({ name: "tagger", role: "Tags one transcript.", tools: ["llm"] }, { task: ${JSON.stringify(TASK)}, data, output })));
done(tags.map((r) => r.tag ?? r.failure.kind));`;
const AGENT_CODE = `done(await llm("Which tag fits?", { data, schema: { type: "object", properties: { tag: { type: "string" } }, required: ["tag"] } }));`;

/** Plays the coordinator, its agents, the model behind llm(), and the model of the direct job. */
export const startTagger = (): Promise<ScriptedModel> =>
  startScriptedModel((body) => {
    const text = textOf(body);
    if (text.includes("<data chars=")) return paid(body, { text: JSON.stringify({ tag: tagIn(text) }) });
    if (text.includes(TASK)) return paid(body, { code: AGENT_CODE });
    return paid(body, { code: COORDINATOR_CODE });
  });

export interface TagJob {
  tags: unknown;
  /** Tokens of all agents, and of the coordinator alone. */
  total: number;
  coordinator: number;
}

export async function tagByAgents(url: string, docs: string[]): Promise<TagJob> {
  const response = await fetch(`${url}/v1/goals`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=120" },
    body: JSON.stringify({ goal: GOAL, inputs: { docs } }),
  });
  const run = (await response.json()) as RunView;
  const sum = ({ input, output }: { input: number; output: number }): number => input + output;
  return { tags: run.result, total: sum(run.usage), coordinator: sum(run.own) };
}

/** As agents do that call tools directly: every document and every answer passes through the conversation, which is sent each time. */
export function tagDirectly(docs: string[]): TagJob {
  const tools = [
    {
      name: "read_document",
      description: "Reads one document.",
      input_schema: { type: "object", properties: { index: { type: "integer" } } },
    },
    {
      name: "save_tag",
      description: "Saves the tag of a document.",
      input_schema: { type: "object", properties: { index: { type: "integer" }, tag: { enum: TAGS } } },
    },
  ];
  const messages: MessagesBody["messages"] = [{ role: "user", content: `${GOAL} There are ${docs.length} documents.` }];
  const tags: string[] = [];
  let total = 0;
  const turn = (reply: object, answer: string): void => {
    total +=
      tokensOf({ model: "direct", system: "You tag documents with your tools.", tools, messages }) +
      countTokens(JSON.stringify(reply));
    messages.push({ role: "assistant", content: [reply as { type: string }] });
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${messages.length}`, content: answer }],
    });
  };
  docs.forEach((doc, index) => {
    turn({ type: "tool_use", id: `t${messages.length}`, name: "read_document", input: { index } }, doc);
    const tag = tagIn(doc);
    tags.push(tag);
    turn({ type: "tool_use", id: `t${messages.length}`, name: "save_tag", input: { index, tag } }, "saved");
  });
  turn({ type: "text", text: "All documents are tagged." }, "");
  return { tags, total, coordinator: total };
}
