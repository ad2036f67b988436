import { describe, expect, it } from "vitest";
import { decode, encode, TooLong, Unstorable } from "../../../src/kernel/codec.ts";
import { toPlain } from "../../../src/kernel/plain.ts";
import { preview } from "../../../src/kernel/preview.ts";
import { shapeOf } from "../../../src/kernel/shape.ts";

describe("what can't be encoded is refused with its place", () => {
  it.each<[reason: string, value: unknown]>([
    ["a Promise can't be stored: await it (at .a[1])", { a: [0, Promise.resolve()] }],
    ["a WeakMap can't be stored", new WeakMap()],
    ["a symbol can't be stored (at [0])", [Symbol("mine")]],
    ["a native or bound function can't be stored (at .f)", { f: Math.max }],
    ['a native or bound function can\'t be stored (at .get("k"))', new Map([["k", Math.max]])],
    ["a WeakSet can't be stored (at .keys())", new Map([[new WeakSet(), 1]])],
    ["a WeakSet can't be stored (at .values())", new Set([new WeakSet()])],
    ['a WeakSet can\'t be stored (at ["odd key"].b)', { "odd key": { b: new WeakSet() } }],
    ["a Generator can't be stored", (function* () {})()],
    ["a SharedArrayBuffer can't be stored (at .buffer)", new Uint8Array(new SharedArrayBuffer(4))],
    ["a BigInt of so many digits can't be stored (at .n)", { n: 1n << 200_000n }],
  ])("%s", (reason, value) => {
    expect(() => encode(value)).toThrow(new Unstorable(reason));
  });

  it("the place of something deep is told in short", () => {
    let deep: unknown = Symbol("mine");
    for (let i = 0; i < 10_000; i++) deep = { level: deep };
    expect(() => encode(deep)).toThrow(/^a symbol can't be stored \(at ….{250,310}\)$/);
  });

  it.each<[what: string, value: unknown]>([
    ["a text", "x".repeat(2_000)],
    ["a key", { ["k".repeat(2_000)]: 1 }],
    ["bytes", new Uint8Array(2_000)],
    ["many numbers", Array.from({ length: 2_000 }, (_, i) => i)],
    ["many objects", Array.from({ length: 100 }, () => ({}))],
    ["objects without end", endless()],
  ])("%s longer than it may be", (_, value) => {
    expect(() => encode(value, { maxChars: 1_000 })).toThrow(TooLong);
  });

  it("ten million items are too long at once", () => {
    const many = Array.from({ length: 10_000_000 }, () => 1);
    const at = performance.now();
    expect(() => encode(many, { maxChars: 1_000_000 })).toThrow(TooLong);
    expect(performance.now() - at).toBeLessThan(500);
  });

  function endless(): object {
    return {
      get next() {
        return endless();
      },
    };
  }
});

describe("a text that encode did not write", () => {
  const forged: [what: string, data: string][] = [
    ["no JSON", "[not JSON"],
    ["no table", "[1]"],
    ["a row of no kind", '[["@",0],[["?"]]]'],
    ["a class of every object", '[["@",0],[["I","constructor"]]]'],
    ["a function of every list", '[["@",0],[["F","concat","x",null]]]'],
    ["a function that is not there", '[["@",0],[["F",5,"x",null]]]'],
    ["a view of a number", '[["@",0],[["V","Float64Array",1000000000,0,1]]]'],
    ["a view of every object", '[["@",1],[["B",""],["V","constructor",["@",0],0,0]]]'],
    ["a view beyond its buffer", '[["@",1],[["B","AAAA"],["V","Uint8Array",["@",0],0,99]]]'],
    ["a list of no length", '[["@",0],[["H",-1]]]'],
    ["an expression that is none", '[["@",0],[["R","(",""]]]'],
    ["a URL that is none", '[["@",0],[["L","::"]]]'],
    ["a BigInt that is none", '[["i","x"],[]]'],
    ["a BigInt of a million digits", `[["i","${"9".repeat(1_000_000)}"],[]]`],
    ["bytes that are none", '[["@",0],[["B","*"]]]'],
  ];

  it.each(forged)("%s throws, quickly, and is shown as unreadable", (_, data) => {
    const at = performance.now();
    expect(() => decode(data)).toThrow(Error);
    expect(toPlain(data)).toBe("[unreadable]");
    expect(performance.now() - at).toBeLessThan(500);
  });

  it("reaches no prototype", () => {
    decode('[["@",0],[["O","__proto__",["@",1]],["O","polluted",1]]]');
    decode('[["@",0],[["E","__proto__","message","x","polluted",1]]]');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((new Error("x") as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("a value shown outside", () => {
  it.each<[what: string, make: () => unknown]>([
    ["what doubles with every level", () => doubled([])],
    [
      "the same by way of Maps and Sets",
      () =>
        doubled(
          [],
          (x) =>
            new Map([
              ["a", new Set([x])],
              ["b", new Set([x])],
            ]),
        ),
    ],
    ["four billion holes", () => Object.assign([], { length: 4_000_000_000 })],
  ])("%s is bounded", (_, make) => {
    const at = performance.now();
    expect(toPlain(encode(make()).data)).toBe("[too large]");
    expect(performance.now() - at).toBeLessThan(2_000);
  });

  it("a list as long as a result may hold is shown in full", () => {
    expect(toPlain(encode(Array.from({ length: 1_000_000 }, () => 1)).data)).toHaveLength(1_000_000);
  });

  it.each<[what: string, value: unknown]>([
    ["what doubles", doubled([])],
    ["what goes in circles", circular()],
    ["a wide and deep list", wide(8)],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("no");
          },
        },
      ),
    ],
    ["a Map of a million", new Map(Array.from({ length: 100_000 }, (_, i) => [{ i }, i]))],
    ["an object of many keys", Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i]))],
    ["an enormous number", 1n << 1_000_000n],
  ])("%s has a short preview and a short type, both made quickly", (_, value) => {
    const at = performance.now();
    expect(preview(value).length).toBeLessThanOrEqual(2_000);
    expect(typeOf(value).length).toBeLessThanOrEqual(160);
    expect(performance.now() - at).toBeLessThan(500);
  });

  it("a preview survives an error that throws when it is looked at", () => {
    const trap = new Proxy(new Error("x"), {
      get: () => {
        throw new Error("y");
      },
      getPrototypeOf: () => {
        throw new Error("z");
      },
    });
    expect(
      preview(
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw trap;
            },
          },
        ),
      ),
    ).toBe("[no preview: it threw]");
  });

  it("names of columns are cut", () => {
    expect(shapeOf({ ["k".repeat(10_000)]: 1 }).fields).toEqual(["k".repeat(100)]);
  });

  function typeOf(value: unknown): string {
    try {
      return shapeOf(value).type;
    } catch {
      return ""; // a proxy that throws can't be stored either: its type is never asked for
    }
  }
  function doubled(start: unknown, twice: (x: unknown) => unknown = (x) => [x, x]): unknown {
    let value = start;
    for (let i = 0; i < 60; i++) value = twice(value);
    return value;
  }
  function circular(): unknown {
    const list: unknown[] = [];
    list.push(list, { list });
    return list;
  }
  function wide(levels: number): unknown {
    let level: unknown = 1;
    for (let i = 0; i < levels; i++) level = Array.from({ length: 20 }, () => level);
    return level;
  }
});
