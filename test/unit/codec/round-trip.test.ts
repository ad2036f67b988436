import { types } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode } from "../../../src/kernel/codec.ts";

const again = (value: unknown): unknown => decode(encode(value).data);

describe("a value comes back as it went", () => {
  const leaf = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.bigInt(),
    fc.constantFrom(null, undefined, Number.NaN, -0, Infinity, Symbol.for("px")),
    fc.date({ noInvalidDate: false }),
    fc.uint8Array(),
    fc.float64Array(),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.array(tie("value")),
      fc.sparseArray(tie("value"), { maxLength: 20 }),
      fc.dictionary(fc.string(), tie("value")),
      fc.array(fc.tuple(tie("value"), tie("value"))).map((pairs) => new Map(pairs)),
      fc.array(tie("value")).map((items) => new Set(items)),
    ),
  }));

  it("whatever it is made of", () => {
    fc.assert(
      fc.property(value, (original) => {
        expect(again(original)).toStrictEqual(original);
      }),
    );
  });

  it("and encodes to the same text again, which is how a change is told from none", () => {
    fc.assert(
      fc.property(value, (original) => {
        const { data } = encode(original);
        expect(encode(decode(data)).data).toBe(data);
      }),
    );
  });

  it("one object at two places is one object", () => {
    const shared = { n: 1 };
    const [a, { b }] = again([shared, { b: new Map([["x", shared]]) }]) as [object, { b: Map<string, object> }];
    expect(b.get("x")).toBe(a);
  });

  it("a cycle is a cycle", () => {
    const list: unknown[] = [];
    list.push({ list, set: new Set([list]) });
    const copy = again(list) as [{ list: unknown; set: Set<unknown> }];
    expect(copy[0].list).toBe(copy);
    expect(copy[0].set.has(copy)).toBe(true);
  });

  it("views of one buffer are views of one buffer", () => {
    const buffer = new ArrayBuffer(16);
    const [bytes, words, data] = again([
      new Uint8Array(buffer),
      new Uint16Array(buffer, 2, 3),
      new DataView(buffer, 4, 2),
    ]) as [Uint8Array, Uint16Array, DataView];
    words[0] = 0x0201;
    expect([bytes[2], bytes[3], words.length, data.byteOffset, data.byteLength]).toEqual([1, 2, 3, 4, 2]);
    expect(words.buffer).toBe(bytes.buffer);
  });

  it("depth is no obstacle", () => {
    let deep: unknown = "bottom";
    for (let i = 0; i < 100_000; i++) deep = i % 2 === 0 ? [deep] : { deep };
    let copy: unknown = again(deep);
    let levels = 0;
    for (; typeof copy === "object"; levels++) copy = Array.isArray(copy) ? copy[0] : (copy as { deep: unknown }).deep;
    expect([levels, copy]).toEqual([100_000, "bottom"]);
  });

  it("errors keep their class, message, cause and what was added, and hide what they hid", () => {
    const error = Object.assign(new TypeError("no", { cause: new RangeError("far") }), { code: 7 });
    const copy = again(error) as TypeError & { code: number };
    expect(copy).toBeInstanceOf(TypeError);
    expect([copy.message, (copy.cause as Error).message, copy.code, copy.stack]).toEqual(["no", "far", 7, error.stack]);
    expect(Object.keys(copy)).toEqual(["code"]);
    expect(types.isNativeError(copy)).toBe(true);
  });

  it("an error by a name of its own keeps the name", () => {
    const copy = again(new DOMException("gone", "AbortError")) as Error;
    expect([copy.name, copy.message, copy instanceof Error]).toEqual(["AbortError", "gone", true]);
  });

  it.each([
    ["a list with holes", [1, , 3, ,]], // oxlint-disable-line no-sparse-arrays
    ["a list with names", Object.assign([1, 2], { note: "n" })],
    ["a list with holes and as many names", Object.assign([1, , 3], { note: "n" })], // oxlint-disable-line no-sparse-arrays
    ["a list of nothing", Array.from({ length: 0 })],
    ["boxed values", [Object(1), Object("s"), Object(false), Object(Number.NaN)]],
    ["a pattern and where it stood", Object.assign(/a+/gy, { lastIndex: 3 })],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
    ["text that looks like ours", ['["@",0]', ["@", 0], ["u"], { O: 1 }]],
    ["keys that are names of every object", JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":3}')],
  ])("%s", (_, original) => {
    expect(again(original)).toStrictEqual(original);
  });

  it("a list of four billion holes takes no room", () => {
    const holes: unknown[] = [];
    holes.length = 4_000_000_000;
    holes[3_999_999_999] = "last";
    const { data } = encode(holes);
    expect(data.length).toBeLessThan(100);
    expect((decode(data) as unknown[]).at(-1)).toBe("last");
  });
});

describe("functions and instances", () => {
  it("functions go by their sources and come back from the scope, once each", () => {
    const f = (): number => 1;
    const { data, functions } = encode({ f, list: [f] });
    expect(functions).toEqual([f.toString()]);
    const made = Object.assign(() => 2, {});
    const copy = decode(data, { functions: [() => made] }) as { f: unknown; list: unknown[] };
    expect(copy.f).toBe(made);
    expect(copy.list[0]).toBe(made);
    expect(made.name).toBe("f");
  });

  it("what was put on a function and on its prototype comes along", () => {
    function Point(): void {}
    Point.count = 3;
    Point.prototype.origin = { x: 0 };
    const { data } = encode(Point);
    const copy = decode(data, { functions: [() => function Point(): void {}] }) as typeof Point;
    expect([copy.count, copy.prototype.origin]).toEqual([3, { x: 0 }]);
  });

  it("instances name the variable of their class", () => {
    class Shape {
      sides = 4;
    }
    const { data, classes } = encode([new Shape()], {
      classNamed: (prototype) => (prototype === Shape.prototype ? "Shape" : undefined),
    });
    expect(classes).toEqual(["Shape"]);
    const [copy] = decode(data, { classes: { Shape: () => Shape } }) as [Shape];
    expect(copy).toBeInstanceOf(Shape);
    expect(copy.sides).toBe(4);
  });

  it("instances become plain data where that was asked for", () => {
    class Shape {
      sides = 4;
    }
    expect(decode(encode([new Shape()], { plainInstances: true }).data)).toEqual([{ sides: 4 }]);
  });
});
