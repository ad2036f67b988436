import { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";

/** Passes whole lines that `keep` accepts; it is asked without their colours. An unfinished last line passes as it is. */
export function lineFilter(keep: (line: string) => boolean): Transform {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (rest + decoder.write(chunk)).split("\n");
      rest = lines.pop() ?? "";
      const kept = lines.filter((line) => keep(stripVTControlCharacters(line)));
      done(null, kept.map((line) => `${line}\n`).join(""));
    },
    flush(done) {
      done(null, rest + decoder.end());
    },
  });
}
