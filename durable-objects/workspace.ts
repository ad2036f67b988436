import type { Files } from "../tool-bindings/host.ts";

const MAX_LISTED = 1_000;

/** The files of one run, in R2 under a prefix of its own. */
export function workspace(bucket: R2Bucket, prefix: string): Files {
  const keyOf = (path: string): string => `${prefix}/${path}`;
  return {
    read: async (path) => (await bucket.get(keyOf(path)))?.text(),
    write: async (path, text) => (await bucket.put(keyOf(path), text))?.size ?? 0,
    list: async (folder) => {
      const { objects } = await bucket.list({
        prefix: folder === undefined ? `${prefix}/` : `${prefix}/${folder}/`,
        limit: MAX_LISTED,
      });
      return objects.map(({ key, size, uploaded }) => ({
        path: key.slice(prefix.length + 1),
        size,
        modified: uploaded.toISOString(),
      }));
    },
  };
}
