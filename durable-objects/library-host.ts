import { parseSourceFile } from "../src/capabilities/source-file.ts";
import { type CapabilityDraft, CapabilityName } from "../src/contract/capability.ts";
import { fail, ok, type Result } from "../src/contract/failure.ts";
import type { LibraryApi } from "../src/contract/library.ts";
import type { CapabilityRecord, LibraryHost, ToolHost } from "../tool-bindings/host.ts";
import { chainOf } from "./capability-grant.ts";
import type { DeskScope } from "./cell-desk.ts";
import type { Stores } from "./stores.ts";
import { usageOf } from "./usage.ts";

export interface LibraryHostOptions {
  scope: DeskScope;
  stores: Stores;
  library: () => LibraryApi;
  search: ToolHost["search"];
  run: LibraryHost["run"];
}

/** The `library` family as code of one scope has it. */
export function libraryHost({ scope, stores, library, search, run }: LibraryHostOptions): LibraryHost {
  return {
    run,
    search: (query, limit) => search(query, limit, ["capability"]),
    find: (name) => find(library(), name),
    save: (draft) => {
      const { input, output, cacheRead, cacheWrite } = usageOf(stores, scope.run);
      const tokens = input + output + cacheRead + cacheWrite;
      // A cast: the gate reads any draft, and says of each field what is wrong with it.
      return library().save(draft as CapabilityDraft, {
        run: scope.run,
        goal: stores.runs.find(scope.run)?.goal ?? "",
        grants: chainOf(scope),
        by: "code",
        tokens,
      });
    },
    nearest: async (name) => {
      // A dot is what a capability's name can't have, and the first thing to be mistaken for a hyphen.
      const meant = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
      if (!CapabilityName.safeParse(meant).success) return [];
      const found = await library().get(meant);
      if (found.ok) return [meant];
      return found.failure.kind === "unknown-capability" ? found.failure.nearest : [];
    },
  };
}

async function find(library: LibraryApi, name: string): Promise<Result<CapabilityRecord>> {
  if (!CapabilityName.safeParse(name).success) return fail({ kind: "unknown-capability", name, nearest: [] });
  const view = await library.get(name);
  if (!view.ok) return view;
  const { version: offered, latest } = view.value;
  const version = latest.version === offered ? ok(latest) : await library.version(name, offered);
  if (!version.ok) return version;
  const source = await library.source(name, offered);
  if (!source.ok) return source;
  const file = parseSourceFile(source.value.file);
  return file.ok ? ok({ view: view.value, version: version.value, file: file.value }) : file;
}
