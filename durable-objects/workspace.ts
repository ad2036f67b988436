import type { Files } from "../tool-bindings/host.ts";

const MAX_LISTED = 1_000;

/** Where a coordinator finds what its agents gave that was too long for a message. */
export const RESULTS_FOLDER = "agents/";

/**
 * The files of one run, in R2 under a prefix of its own. `results`: the prefix behind `agents/…`, for reading; it is none of the
 * workspace's, so that no agent of the run can see or forge what another gave.
 */
export function workspace(bucket: R2Bucket, prefix: string, results?: string): Files {
  const keyOf = (path: string): string => `${prefix}/${path}`;
  return {
    read: async (path) => {
      const isResult = results !== undefined && path.startsWith(RESULTS_FOLDER);
      const key = isResult ? `${results}/${path.slice(RESULTS_FOLDER.length)}` : keyOf(path);
      return (await bucket.get(key))?.text();
    },
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
