export interface SseMessage {
  id?: string;
  event?: string;
  data: string;
}

/** Reads a text/event-stream piece by piece; a piece may end anywhere. What was not closed by an empty line is dropped. */
export class SseReader {
  #rest = "";
  #data: string[] = [];
  #id: string | undefined;
  #event: string | undefined;

  push(text: string): SseMessage[] {
    // A lone \r at the end may be half of a \r\n.
    const whole = this.#rest + text;
    const cut = whole.endsWith("\r") ? whole.length - 1 : whole.length;
    const lines = whole.slice(0, cut).split(/\r\n|\r|\n/);
    this.#rest = (lines.pop() ?? "") + whole.slice(cut);
    return lines.flatMap((line) => this.#take(line) ?? []);
  }

  #take(line: string): SseMessage | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon); // a comment has an empty field name
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    if (field === "id") this.#id = value;
    if (field === "event") this.#event = value;
    return undefined;
  }

  #dispatch(): SseMessage | undefined {
    const message: SseMessage = { data: this.#data.join("\n") };
    if (this.#id !== undefined) message.id = this.#id;
    if (this.#event !== undefined) message.event = this.#event;
    const isMessage = this.#data.length > 0;
    this.#data = [];
    this.#event = undefined;
    return isMessage ? message : undefined;
  }
}
