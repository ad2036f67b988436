import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { lineFilter } from "../../../src/cli/line-filter.ts";

it("drops refused lines, coloured or cut in the middle of a character, and keeps the rest byte for byte", async () => {
  const filter = lineFilter((line) => !line.startsWith("GET /healthz"));
  const bytes = Buffer.from("ready ✓\n\u001b[1mGET\u001b[22m /healthz 200\n\n\u001b[32mdone\u001b[39m\r\nlast ü");
  for (const byte of bytes) filter.write(Buffer.of(byte));
  filter.end();
  expect(await text(filter)).toBe("ready ✓\n\n\u001b[32mdone\u001b[39m\r\nlast ü");
});
