import { z } from "zod";
import type { OpenApiFragment } from "../contract/services.ts";
import { AgentDefinition } from "../contract/agent.ts";
import { DecisionAnswer, GoalRequest, RUN_STATUSES } from "../contract/goal.ts";
import { LIBRARY_OPERATIONS } from "./library-operations.ts";
import { number, type Operation, page, type Parameter, type Schema, text } from "./operation.ts";

const id: Parameter = { name: "id", in: "path", required: true, description: "Id of the run", schema: text };
const subtask: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "Id of the subtask: its uri without subtask://",
  schema: text,
};

/** Every route, once. Failures are the same everywhere: problem+json. */
const OPERATIONS: Record<string, Operation> = {
  "post /v1/goals": {
    summary: "Submit a goal",
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        description: "The same key and body give the same run, for a day",
        schema: text,
      },
      {
        name: "Prefer",
        in: "header",
        description: "wait=N waits up to N seconds for the end of the run, or until it waits for a person",
        schema: text,
      },
    ],
    body: z.toJSONSchema(GoalRequest, { io: "input" }) as Schema,
    answers: {
      "200": "The finished run (with Prefer: wait)",
      "202": "Accepted: id, session, status, links; waitingOn when it waits for a person",
      "409": "The key was used with another body",
    },
  },
  "get /v1/goals": {
    summary: "List runs, newest first",
    parameters: [
      ...page,
      { name: "status", in: "query", description: "Only runs of this status", schema: { enum: [...RUN_STATUSES] } },
    ],
    answers: { "200": "items, and a cursor when there are more" },
  },
  "get /v1/goals/{id}": {
    summary: "Status, result, usage and cost of a run",
    parameters: [id],
    answers: { "200": "The run" },
  },
  "post /v1/goals/{id}/cancel": {
    summary: "Cancel a run; one that has ended stays as it is",
    parameters: [id],
    answers: { "200": "The run" },
  },
  "get /v1/goals/{id}/events": {
    summary: "What happens in a run, as server-sent events that end with it",
    parameters: [
      id,
      {
        name: "Last-Event-ID",
        in: "header",
        description: "Go on after this event; ?after= does the same",
        schema: number,
      },
    ],
    answers: { "200": "An event stream" },
    media: "text/event-stream",
  },
  "get /v1/goals/{id}/cells": {
    summary: "The cells of a run with their code and answers",
    parameters: [id, ...page],
    answers: { "200": "items, and a cursor when there are more" },
  },
  "get /v1/goals/{id}/variables": {
    summary: "The variables of the run's session, without values",
    parameters: [id],
    answers: { "200": "items" },
  },
  "get /v1/goals/{id}/variables/{name}": {
    summary: "One variable with its value",
    parameters: [id, { name: "name", in: "path", required: true, description: "Name of the variable", schema: text }],
    answers: { "200": "The variable" },
  },
  "get /v1/goals/{id}/approvals": {
    summary: "Decisions the run waits for",
    parameters: [id],
    answers: { "200": "items" },
  },
  "post /v1/goals/{id}/approvals/{aid}": {
    summary: "Answer a decision",
    parameters: [id, { name: "aid", in: "path", required: true, description: "Id of the decision", schema: text }],
    body: z.toJSONSchema(DecisionAnswer, { io: "input" }) as Schema,
    answers: { "200": "The run" },
  },
  "get /v1/goals/{id}/agents": {
    summary: "The sub-agents of a run: status, tier and why, usage, failure",
    parameters: [id, ...page],
    answers: { "200": "items, and a cursor when there are more" },
  },
  "get /v1/subtasks/{id}": {
    summary: "A subtask:// resource: state, progress, turns, usage, result or failure, times",
    parameters: [subtask],
    answers: { "200": "The subtask" },
  },
  "get /v1/subtasks/{id}/log": {
    summary: "What the agents of a subtask did, kept when they ended",
    parameters: [subtask],
    answers: { "200": "items: agent and its events" },
  },
  "post /v1/subtasks/{id}/cancel": {
    summary: "Cancel a subtask; one that has ended stays as it is",
    parameters: [subtask],
    answers: { "200": "The subtask" },
  },
  "get /v1/agents": { summary: "The agents that can be called by name", answers: { "200": "items: definitions" } },
  "post /v1/agents": {
    summary: "Store an agent definition; one of the same name is replaced",
    body: z.toJSONSchema(AgentDefinition, { io: "input" }) as Schema,
    answers: { "201": "The definition" },
  },
  "delete /v1/agents/{name}": {
    summary: "Delete a stored definition; a built-in one of the same name is there again",
    parameters: [{ name: "name", in: "path", required: true, description: "Name of the agent", schema: text }],
    answers: { "204": "It is gone" },
  },
  "get /v1/lessons": {
    summary: "What runs have taught, the newest first; with q, what speaks of it",
    parameters: [...page, { name: "q", in: "query", description: "What they are to be about", schema: text }],
    answers: { "200": "items, and a cursor when there are more" },
  },
  "delete /v1/lessons/{id}": {
    summary: "Forget a lesson",
    parameters: [{ name: "id", in: "path", required: true, description: "Id of the lesson", schema: text }],
    answers: { "204": "It is gone" },
  },
  ...LIBRARY_OPERATIONS,
  "get /v1/usage": {
    summary: "Tokens and cost of runs, those under way as they last reported, by day, model and run",
    parameters: [
      { name: "from", in: "query", description: "First day, as 2026-01-31", schema: text },
      { name: "to", in: "query", description: "Last day", schema: text },
    ],
    answers: { "200": "total, days, models, and the 100 dearest runs" },
  },
  "get /openapi.json": { summary: "This document", answers: { "200": "OpenAPI 3.1" } },
  "get /healthz": {
    summary: "Is the server up, and which model serves it",
    answers: { "200": "status, service, model" },
  },
};

const PROBLEM = {
  description: "What is wrong and what to change (RFC 9457)",
  content: {
    "application/problem+json": {
      schema: {
        type: "object",
        properties: { type: text, title: text, status: number, detail: text, errors: { type: "array" } },
      },
    },
  },
};

function paths(): Record<string, Record<string, unknown>> {
  const all: Record<string, Record<string, unknown>> = {};
  for (const [route, operation] of Object.entries(OPERATIONS)) {
    const [method, path] = route.split(" ") as [string, string];
    const media = operation.media ?? "application/json";
    const responses = Object.fromEntries(
      Object.entries(operation.answers).map(([status, description]) => [
        status,
        status.startsWith("2") ? { description, content: { [media]: {} } } : { ...PROBLEM, description },
      ]),
    );
    (all[path] ??= {})[method] = {
      summary: operation.summary,
      ...(operation.parameters === undefined ? {} : { parameters: operation.parameters }),
      ...(operation.body === undefined
        ? {}
        : {
            requestBody: {
              required: operation.bodyOptional !== true,
              content: { [operation.bodyMedia ?? "application/json"]: { schema: operation.body } },
            },
          }),
      responses: { ...responses, default: PROBLEM },
    };
  }
  return all;
}

/** The whole document. What cells can call is in `x-tools`, with schemas among the components: it is no route. */
export const openapi = ({ schemas, tools }: OpenApiFragment): object => ({
  openapi: "3.1.0",
  info: { title: "Praxis", version: "0.1.0", description: "Send a goal; it is reached by code that runs in isolates." },
  components: {
    securitySchemes: {
      key: { type: "http", scheme: "bearer" },
      header: { type: "apiKey", in: "header", name: "x-api-key" },
    },
    schemas,
  },
  security: [{ key: [] }, { header: [] }],
  paths: paths(),
  "x-tools": tools,
});
