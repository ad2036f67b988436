import { analyseCell, emitCell } from "../../src/kernel/compile.ts";
import { parseCell } from "../../src/kernel/parse.ts";

/** The module of a cell. Throws for one that does not compile. */
export function compiled(source: string): string {
  const analysis = analyseCell(source);
  const emitted = analysis.ok ? emitCell(analysis.value, []) : analysis;
  if (!emitted.ok) throw new Error(JSON.stringify(emitted.error));
  return emitted.value.module;
}

export function parse(source: string): void {
  const parsed = parseCell(source);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
}

/** A cell of about `chars` characters: typed functions, loops and calls, as a model writes them. */
export function programOf(chars: number): string {
  let text = "";
  for (let i = 0; text.length < chars - BLOCK_CHARS / 2; i++) text += block(i);
  return text;
}

const block = (i: number): string => `
interface Order${i} { id: number; customer: string; lines: { sku: string; price: number; count: number }[] }
const orders${i}: Order${i}[] = [{ id: ${i}, customer: "c${i}", lines: [{ sku: "a", price: 1.5, count: 2 }] }];

function total${i}(order: Order${i}): number {
  let sum = 0;
  for (const { price, count } of order.lines) sum += price * count;
  return sum;
}

const totals${i} = new Map(orders${i}.map((order) => [order.id, total${i}(order)] as const));
if ((totals${i}.get(${i}) ?? 0) > 100) {
  const [first, ...rest] = [...totals${i}.values()].toSorted((a, b) => b - a);
  console.log(\`largest \${first}\`, rest.length);
}
`;

const BLOCK_CHARS = block(0).length;
