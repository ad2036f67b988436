import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const CLI = join(import.meta.dirname, "../../../src/cli");
const FILES = ["bootstrap.mjs", "install.mjs", "install-lock.mjs"];
const LOCK = [".wrangler", "install.lock"];

let root = "";

/** A checkout of its own, with a lock file whose only package, `node`, lies beside it: npm ci needs no network. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "praxis-bootstrap-"));
  const write = (path: string, content: string | object, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content), { mode });
  };
  for (const file of FILES) cpSync(join(CLI, file), join(root, "src/cli", file));
  write(
    "src/cli/size.ts",
    "console.log(JSON.stringify({ args: process.argv.slice(2), path: process.env.PATH })); process.exitCode = 5;",
  );
  write("vendor/node/package.json", { name: "node", version: "1.0.0", bin: { node: "run" } });
  write("vendor/node/run", `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, 0o755);
  const manifest = { name: "x", version: "1.0.0", dependencies: { node: "file:vendor/node" } };
  write("package.json", { ...manifest, scripts: { postinstall: "echo installed >> installs.log" } });
  write("package-lock.json", {
    ...manifest,
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { ...manifest, hasInstallScript: true },
      "node_modules/node": { resolved: "vendor/node", link: true },
      "vendor/node": { version: "1.0.0", bin: { node: "run" } },
    },
  });
});
afterEach(() => rmSync(root, { recursive: true }));

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

const run = (...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, "src/cli/bootstrap.mjs"), ...args], { cwd: root });
    const ran: Ran = { code: null, stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (ran.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (ran.stderr += chunk.toString()));
    child.on("close", (code) => resolve({ ...ran, code }));
  });

const installs = (): number =>
  existsSync(join(root, "installs.log"))
    ? readFileSync(join(root, "installs.log"), "utf8").trim().split("\n").length
    : 0;

describe("the bootstrap", { timeout: 120_000 }, () => {
  it("installs a fresh clone, hands arguments on and exits with the command's code", async () => {
    const { code, stdout, stderr } = await run("size", "--a", "b c");
    expect(code).toBe(5);
    const seen: unknown = JSON.parse(stdout);
    expect(seen).toMatchObject({ args: ["--a", "b c"] });
    expect(seen).toMatchObject({ path: expect.stringMatching(new RegExp(`^${join(root, "node_modules", ".bin")}:`)) });
    expect(stderr).toContain("praxis: installing dependencies (npm ci)");
    expect(installs()).toBe(1);
  });

  it("installs again only when the lock file has changed", async () => {
    await run("size");
    expect((await run("size")).stderr).toBe("");
    expect(installs()).toBe(1);
    const lock = join(root, "package-lock.json");
    writeFileSync(lock, `${readFileSync(lock, "utf8")}\n`);
    await run("size");
    expect(installs()).toBe(2);
  });

  it("takes what was installed by hand when it holds what the lock file asks for", async () => {
    await run("size");
    rmSync(join(root, "node_modules", ".praxis-install"));
    expect((await run("size")).stderr).toBe("");
    expect(installs()).toBe(1);
  });

  it("installs once when three commands start at the same time", async () => {
    const codes = (await Promise.all([run("size"), run("size"), run("size")])).map(({ code }) => code);
    expect(codes).toEqual([5, 5, 5]);
    expect(installs()).toBe(1);
    expect(existsSync(join(root, ...LOCK))).toBe(false);
  });

  it("takes the lock of an installer that died, and only once", async () => {
    const dead = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => dead.on("exit", resolve));
    mkdirSync(join(root, ...LOCK), { recursive: true });
    writeFileSync(join(root, ...LOCK, "pid"), String(dead.pid));
    await Promise.all([run("size"), run("size")]);
    expect(installs()).toBe(1);
  });

  it("says so and starts nothing when the install fails", async () => {
    writeFileSync(join(root, "package-lock.json"), "{}");
    const { code, stdout, stderr } = await run("size");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("npm ci failed");
  });

  it("lists the commands when it does not know one", async () => {
    const { code, stderr } = await run("sizes");
    expect(code).toBe(2);
    expect(stderr).toBe('praxis: no command "sizes". Commands: size\n');
    expect(installs()).toBe(0);
  });
});
