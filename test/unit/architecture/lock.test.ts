import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

interface Locked {
  version?: string;
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

const ROOT = resolve(import.meta.dirname, "../../..");
const { packages } = JSON.parse(readFileSync(resolve(ROOT, "package-lock.json"), "utf8")) as {
  packages: Record<string, Locked>;
};

/** As Node looks a package up: beside the one that wants it, then one level further out at a time. */
function lookUp(from: string, name: string): Locked | undefined {
  for (let base = `${from}/`; ; base = base.slice(0, base.lastIndexOf("node_modules/", base.length - 2))) {
    const found = packages[`${base}node_modules/${name}`];
    if (found !== undefined || base === "") return found;
  }
}

describe("the lock file", () => {
  it("names the binaries of every platform, so that `npm ci` works on each and with any registry", () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
      Object.entries(optionalDependencies ?? {})
        .filter(([name, version]) => /^\d/.test(version) && lookUp(path, name)?.version !== version)
        .map(([name]) => `${path} → ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it("holds no address of a registry", () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });
});
