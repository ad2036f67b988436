import { z } from "zod";
import { defineTool, ToolFailure } from "./define.ts";

const MAX_FILE_CHARS = 4 * 1024 * 1024;

/** `notes/today.md`: no way out of the workspace can be written in it. */
const Path = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[^/\\\0]+(\/[^/\\\0]+)*$/, "must be a relative path such as notes/today.md")
  .refine(
    (path) => path.split("/").every((part) => part !== "." && part !== ".." && part.trim() === part),
    "must not hold . or .. or blanks around a name",
  )
  .describe("Relative to the run's workspace, such as notes/today.md");

const File = z.object({
  path: z.string(),
  size: z.number().describe("Bytes"),
  modified: z.string().describe("ISO 8601"),
});

export const filesWrite = defineTool({
  name: "files.write",
  summary: "Writes a text file in the run's workspace, over what was there.",
  description: "Text that is no string is written as JSON. Fails with too-large over 4 Mi characters.",
  input: z.strictObject({ path: Path, text: z.json().describe("What to write") }),
  output: z.object({ path: z.string(), size: z.number() }),
  effect: "idempotent",
  examples: [{ args: { path: "notes/today.md", text: "# Today" }, result: { path: "notes/today.md", size: 7 } }],
  execute: async ({ path, text }, { host }) => {
    const body = typeof text === "string" ? text : JSON.stringify(text, null, 2);
    if (body.length > MAX_FILE_CHARS)
      throw new ToolFailure(
        "too-large",
        `${path} would be ${body.length} characters long; a file holds ${MAX_FILE_CHARS}. Split it.`,
      );
    return { path, size: await host.files.write(path, body) };
  },
});

export const filesRead = defineTool({
  name: "files.read",
  summary: "Reads a text file of the run's workspace.",
  description: "Fails with no-file when there is none.",
  input: z.strictObject({ path: Path }),
  output: z.string(),
  effect: "read",
  examples: [{ args: { path: "notes/today.md" }, result: "# Today" }],
  execute: async ({ path }, { host }) => {
    const text = await host.files.read(path);
    if (text === undefined)
      throw new ToolFailure("no-file", `There is no file ${path}. files.list() shows what there is.`);
    return text;
  },
});

export const filesList = defineTool({
  name: "files.list",
  summary: "Lists the files of the run's workspace.",
  input: z.strictObject({ folder: Path.optional() }),
  output: z.array(File),
  effect: "read",
  examples: [
    { args: { folder: "notes" }, result: [{ path: "notes/today.md", size: 7, modified: "2026-01-01T00:00:00.000Z" }] },
  ],
  execute: async ({ folder }, { host }) => host.files.list(folder),
});
