import type { CellErrorKind } from "../../contract/cell.ts";

/** Thrown to end a cell from within. A cell can catch it; the harness remembers that it was thrown. */
export class Stop extends Error {
  override name = "Stop";
  readonly kind: CellErrorKind;
  constructor(kind: CellErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export class Stopper {
  /** The first stop counts: later ones are the cell still trying. */
  reason: { kind: CellErrorKind; name: string; message: string; stack: string } | undefined;

  stop(kind: CellErrorKind, message: string): never {
    const error = new Stop(kind, message);
    this.reason ??= { kind, name: "Stop", message, stack: error.stack ?? "" };
    throw error;
  }
}
