/**
 * Changes to a source text that keep its lines: what is inserted holds no line break, and what is replaced keeps its
 * own. So a line of the result is a line of the source, and a column is found through the list.
 */
interface Edit {
  at: number;
  end: number;
  text: string;
}

const NOT_LINE_BREAK = /[^\n\r\u2028\u2029]/g;

export class Edits {
  readonly source: string;
  readonly #edits: Edit[] = [];
  readonly #blankEnds = new Set<number>();

  constructor(source: string) {
    this.source = source;
  }

  /** Insertions at one offset stand in the order in which they were made. Returns a way to set the text later. */
  insert(at: number, text: string): (text: string) => void {
    const edit = { at, end: at, text };
    this.#edits.push(edit);
    return (later) => {
      edit.text = later;
    };
  }

  /** Turns a range into spaces; `first` and `last` take the place of its first and last character. */
  blank(at: number, end: number, keep: { first?: string; last?: string } = {}): void {
    if (end <= at) return;
    const spaces = this.source.slice(at, end).replace(NOT_LINE_BREAK, " ");
    const { first = spaces.charAt(0), last = spaces.charAt(spaces.length - 1) } = keep;
    this.#edits.push({ at, end, text: end - at === 1 ? first : first + spaces.slice(1, -1) + last });
    if (keep.last === undefined) this.#blankEnds.add(end);
  }

  /** Puts another text in place of a range without line breaks. */
  replace(at: number, end: number, text: string): void {
    this.#edits.push({ at, end, text });
  }

  /** True if what stands before the offset was blanked: a statement that ended there has lost its last token. */
  blankedUpTo(offset: number): boolean {
    return this.#blankEnds.has(offset);
  }

  /** The changed text. */
  apply(): EditedText {
    // Insertions go before what is replaced at the same offset; the sort is stable.
    const edits = [...this.#edits].sort((a, b) => a.at - b.at || Number(a.end > a.at) - Number(b.end > b.at));
    const pieces: string[] = [];
    const origins: Origin[] = [];
    let read = 0;
    let written = 0;
    for (const edit of edits) {
      const kept = this.source.slice(read, edit.at);
      pieces.push(kept, edit.text);
      written += kept.length;
      origins.push({ from: written, source: edit.at, moves: edit.text.length === edit.end - edit.at });
      written += edit.text.length;
      origins.push({ from: written, source: edit.end, moves: true });
      read = edit.end;
    }
    pieces.push(this.source.slice(read));
    return new EditedText(pieces.join(""), origins);
  }
}

/** From `from` of the changed text on, what stands there comes from `source`; one to one if it `moves`. */
interface Origin {
  from: number;
  source: number;
  moves: boolean;
}

export class EditedText {
  readonly text: string;
  readonly #origins: Origin[];

  constructor(text: string, origins: Origin[]) {
    this.text = text;
    this.#origins = origins;
  }

  /** The offset in the source of an offset in the changed text; of an insertion, the place where it was made. */
  originOf(offset: number): number {
    let low = 0;
    let high = this.#origins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#origins[middle]?.from ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const origin = this.#origins[low - 1];
    if (!origin) return offset;
    return origin.moves ? origin.source + offset - origin.from : origin.source;
  }
}
