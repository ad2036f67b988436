import { describe, expect, it } from "vitest";
import { array, assert, constantFrom, nat, property } from "fast-check";
import { SseReader } from "../../../src/cli/sse.ts";

describe("an event stream", () => {
  it("gives messages with id, type and data, and skips comments", () => {
    const reader = new SseReader();
    expect(reader.push('retry: 1000\n\n: heartbeat\n\nid: 3\nevent: cell-logged\ndata: {"a":1}\n\n')).toEqual([
      { id: "3", event: "cell-logged", data: '{"a":1}' },
    ]);
  });

  it("joins several data lines and keeps a leading second space", () => {
    expect(new SseReader().push("data: a\ndata:  b\ndata\n\n")).toEqual([{ data: "a\n b\n" }]);
  });

  it("does not give a message that was cut off", () => {
    expect(new SseReader().push("id: 1\ndata: half")).toEqual([]);
  });

  it("reads the same whatever the pieces and the line ends", () => {
    const text = "id: 1\ndata: one\n\n:x\nid: 2\nevent: e\ndata: two\ndata: lines\n\n";
    const expected = new SseReader().push(text);
    expect(expected).toHaveLength(2);
    assert(
      property(constantFrom("\n", "\r\n", "\r"), array(nat(80)), (lineEnd, cuts) => {
        const stream = `${text.replaceAll("\n", lineEnd)}:end${lineEnd}`;
        const at = [0, ...cuts.map((cut) => Math.min(cut, stream.length)).sort((a, b) => a - b), stream.length];
        const reader = new SseReader();
        const got = at.slice(1).flatMap((end, index) => reader.push(stream.slice(at[index], end)));
        expect(got).toEqual(expected);
      }),
    );
  });
});
