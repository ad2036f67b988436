import { z } from "zod";
import { CapabilityRunRequest } from "../contract/capability-run.ts";
import { CAPABILITY_STATES, CapabilityDraft } from "../contract/capability.ts";
import { ARCHIVE_MEDIA, VersionOrder } from "../contract/library.ts";
import { number, type Operation, page, type Parameter, type Schema, text } from "./operation.ts";

const name: Parameter = {
  name: "name",
  in: "path",
  required: true,
  description: "Name of the capability",
  schema: text,
};
const inQuery = (name: string, description: string, required = false): Parameter => ({
  name,
  in: "query",
  ...(required && { required }),
  description,
  schema: number,
});
const order = (summary: string): Operation => ({
  summary,
  parameters: [name],
  body: z.toJSONSchema(VersionOrder) as Schema,
  bodyOptional: true,
  answers: { "200": "The capability", "409": "Its state doesn't allow it" },
});

/** The routes of the library. */
export const LIBRARY_OPERATIONS: Record<string, Operation> = {
  "get /v1/capabilities": {
    summary: "List capabilities by name, or by how well they serve ?q=",
    parameters: [
      ...page,
      { name: "q", in: "query", description: "What it should do, in words", schema: text },
      { name: "state", in: "query", description: "Only of this state", schema: { enum: [...CAPABILITY_STATES] } },
    ],
    answers: { "200": "items, and a cursor when there are more" },
  },
  "post /v1/capabilities": {
    summary:
      "Save a capability: it is checked and its own tests are run first. One of the same name gets its next version",
    body: z.toJSONSchema(CapabilityDraft, { unrepresentable: "any" }) as Schema,
    answers: {
      "200": "That very version was there already",
      "201": "name, version, state",
      "422": "Refused: every reason in errors, by rule",
    },
  },
  "get /v1/capabilities/{name}": {
    summary: "A capability with its newest version and the numbers of all",
    parameters: [name],
    answers: { "200": "The capability" },
  },
  "get /v1/capabilities/{name}/versions": {
    summary: "Its versions, the oldest first, with state, why, and statistics",
    parameters: [name],
    answers: { "200": "items" },
  },
  "get /v1/capabilities/{name}/versions/{version}": {
    summary: "One version",
    parameters: [
      name,
      { name: "version", in: "path", required: true, description: "Number of the version", schema: number },
    ],
    answers: { "200": "The version" },
  },
  "get /v1/capabilities/{name}/source": {
    summary: "The file of a version, as it runs; its ETag is its hash",
    parameters: [name, inQuery("version", "Left out: the version that is offered, or the newest")],
    answers: { "200": "TypeScript" },
    media: "text/typescript",
  },
  "get /v1/capabilities/{name}/diff": {
    summary: "What changed between two versions, as a unified diff",
    parameters: [name, inQuery("from", "Number of a version", true), inQuery("to", "Number of a version", true)],
    answers: { "200": "A patch; empty when the files are the same" },
    media: "text/x-diff",
  },
  "post /v1/capabilities/{name}/run": {
    summary: "Run a capability, in a run of its own that takes no model",
    parameters: [name],
    body: z.toJSONSchema(CapabilityRunRequest, { io: "input" }) as Schema,
    answers: {
      "200": "output, and the run's id",
      "202": "It is not over, or waits for a person: the run and its links",
      "409": "Its state doesn't allow it",
      "422": "It failed",
    },
  },
  "post /v1/capabilities/{name}/promote": order("Make a version the active one: the newest, when none is named"),
  "post /v1/capabilities/{name}/rollback": order("Go back to the version before, or to the one that is named"),
  "post /v1/capabilities/{name}/retire": order("Offer a version no more; all of them, when none is named"),
  "get /v1/library/archive": {
    summary: "All files of the library",
    answers: { "200": "A tar, gzipped: <name>/v<n>.ts" },
    media: ARCHIVE_MEDIA,
  },
  "post /v1/library/archive": {
    summary: "Take the files of an archive in, each as if it were saved; what is there already stays as it is",
    body: { type: "string", format: "binary" },
    bodyMedia: ARCHIVE_MEDIA,
    answers: { "200": "saved and refused, each with what became of it" },
  },
  "post /v1/library/rebuild": {
    summary: "Bring the search index, and versions that were lost, back from the files. Call it until it is done",
    answers: { "200": "indexed, removed, done" },
  },
};
