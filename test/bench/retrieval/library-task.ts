import type { Library } from "../../../durable-objects/library.ts";
import type { Task } from "../task.ts";

export type LibraryTask = Extract<Task, { library: string }>;

/** Through the object's RPC, as its callers in the product do. */
export async function performLibrary(task: LibraryTask, library: DurableObjectStub<Library>): Promise<string[][]> {
  switch (task.do) {
    case "library-put":
      await library.put(task.entries);
      return [];
    case "library-learn":
      // Not one after another: that would time the disk, which takes many at once.
      await Promise.all(task.goals.map(({ query, tool }) => library.learn(query, tool, "success")));
      return [];
    case "library-search": {
      const found: string[][] = [];
      for (const query of task.queries) {
        const hits = await library.search(query, task.limit, { kinds: ["capability"] });
        found.push(hits.map(({ name }) => name));
      }
      return found;
    }
    case "library-reindex": {
      const { done } = await library.reindex(async (cursor = "0") => {
        const from = Number(cursor);
        const to = from + task.pageSize;
        const entries = task.entries.slice(from, to);
        return to < task.entries.length ? { entries, cursor: String(to) } : { entries };
      });
      if (!done) throw new Error("the reindex did not end");
      return [];
    }
  }
}
