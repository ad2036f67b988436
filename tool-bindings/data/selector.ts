import { AttributeAction, parse, type Selector, SelectorType } from "css-what";
import { type Document, type Element, isTag, type ParentNode } from "domhandler";
import { ToolFailure } from "../define.ts";

const MAX_SELECTOR_CHARS = 300;
const MAX_STEPS = 30; // compounds in all alternatives, each a bit
const MAX_TESTS = 60; // tokens: each is looked at once for each element

type Combinator = "descendant" | "child" | "adjacent" | "sibling";
interface Step {
  /** How it is joined to the step before it. Nothing for the first. */
  combinator: Combinator | undefined;
  tests: ((element: Element, place: Place) => boolean)[];
}
/** Where an element stands among its sisters, from 1. */
interface Place {
  fromStart: number;
  fromEnd: number;
}

const refuse = (selector: string, problem: string): ToolFailure =>
  new ToolFailure(
    "bad-selector",
    `Can't use the selector "${selector.slice(0, 100)}": ${problem}. Known: tag, .class, #id, [attr=value], "a b", "a > b", "a + b", "a ~ b", commas, :first-child, :last-child, :nth-child(2n+1), :not(.x).`,
  );

/**
 * The elements a CSS selector names, in document order.
 *
 * Left to right, in one walk: of each element it is noted which steps end at it, so the work is elements × steps. The
 * usual way, from right to left with backtracking, takes exponential time on deep pages and long selectors.
 */
export function select(root: Document, selector: string): Element[] {
  const alternatives = stepsOf(selector);
  const found = new Set<Element>();
  for (const steps of alternatives) walk(root, { above: 0, parent: 0 }, { steps, found });
  if (alternatives.length === 1) return [...found];
  return inOrder(root, found);
}

/** Bit sets of steps, 30 at most: which end at some ancestor, and which at the parent. */
interface Context {
  above: number;
  parent: number;
}

function walk(parent: ParentNode, context: Context, search: { steps: Step[]; found: Set<Element> }): void {
  const { steps, found } = search;
  const elements = parent.children.filter(isTag);
  let previous = 0;
  let earlier = 0;
  for (const [index, element] of elements.entries()) {
    const place = { fromStart: index + 1, fromEnd: elements.length - index };
    const joined = { descendant: context.above, child: context.parent, adjacent: previous, sibling: earlier };
    let here = 0;
    for (const [i, { combinator, tests }] of steps.entries()) {
      const isReached = combinator === undefined || (joined[combinator] & (1 << (i - 1))) !== 0;
      if (isReached && tests.every((test) => test(element, place))) here |= 1 << i;
    }
    if ((here & (1 << (steps.length - 1))) !== 0) found.add(element);
    walk(element, { above: context.above | here, parent: here }, search);
    previous = here;
    earlier |= here;
  }
}

function inOrder(parent: ParentNode, wanted: Set<Element>): Element[] {
  const ordered: Element[] = [];
  const visit = (node: ParentNode): void => {
    for (const child of node.children) {
      if (!isTag(child)) continue;
      if (wanted.has(child)) ordered.push(child);
      visit(child);
    }
  };
  visit(parent);
  return ordered;
}

function stepsOf(selector: string): Step[][] {
  if (selector.length > MAX_SELECTOR_CHARS)
    throw refuse(selector, `it is longer than ${MAX_SELECTOR_CHARS} characters`);
  let parsed: Selector[][];
  try {
    parsed = parse(selector);
  } catch (error) {
    throw refuse(selector, error instanceof Error ? error.message : "it can't be read");
  }
  let count = 0;
  return parsed.map((tokens) => {
    const steps: Step[] = [{ combinator: undefined, tests: [] }];
    for (const token of tokens) {
      const combinator = combinatorOf(token);
      if (combinator !== undefined) steps.push({ combinator, tests: [] });
      else steps.at(-1)!.tests.push(testOf(token, selector));
    }
    count += steps.length;
    if (count > MAX_STEPS) throw refuse(selector, `it has more than ${MAX_STEPS} steps`);
    if (tokensIn(parsed) > MAX_TESTS) throw refuse(selector, `it has more than ${MAX_TESTS} parts`);
    if (steps.some(({ tests }) => tests.length === 0)) throw refuse(selector, "a step is empty");
    return steps;
  });
}

const tokensIn = (alternatives: Selector[][]): number =>
  alternatives
    .flat()
    .reduce((sum, token) => sum + 1 + ("data" in token && Array.isArray(token.data) ? tokensIn(token.data) : 0), 0);

function combinatorOf({ type }: Selector): Combinator | undefined {
  switch (type) {
    case SelectorType.Descendant:
      return "descendant";
    case SelectorType.Child:
      return "child";
    case SelectorType.Adjacent:
      return "adjacent";
    case SelectorType.Sibling:
      return "sibling";
    default:
      return undefined;
  }
}

function testOf(token: Selector, selector: string): Step["tests"][number] {
  switch (token.type) {
    case SelectorType.Universal:
      return () => true;
    case SelectorType.Tag: {
      const name = token.name.toLowerCase();
      return (element) => element.name === name || element.name === token.name;
    }
    case SelectorType.Attribute:
      return attributeTest(token);
    case SelectorType.Pseudo:
      return pseudoTest(token, selector);
    default:
      throw refuse(selector, `"${token.type}" is not supported`);
  }
}

function attributeTest(token: Extract<Selector, { type: SelectorType.Attribute }>): Step["tests"][number] {
  const folded = (text: string): string => (token.ignoreCase === true ? text.toLowerCase() : text);
  const wanted = folded(token.value);
  const compare: Record<AttributeAction, (value: string) => boolean> = {
    [AttributeAction.Exists]: () => true,
    [AttributeAction.Equals]: (value) => value === wanted,
    [AttributeAction.Not]: (value) => value !== wanted,
    [AttributeAction.Start]: (value) => wanted !== "" && value.startsWith(wanted),
    [AttributeAction.End]: (value) => wanted !== "" && value.endsWith(wanted),
    [AttributeAction.Any]: (value) => wanted !== "" && value.includes(wanted),
    [AttributeAction.Hyphen]: (value) => value === wanted || value.startsWith(`${wanted}-`),
    [AttributeAction.Element]: (value) => wanted !== "" && hasWord(value, wanted),
  };
  const matches = compare[token.action];
  return ({ attribs }) => Object.hasOwn(attribs, token.name) && matches(folded(attribs[token.name]!));
}

/** Whether it is one of the words between spaces. Without splitting: class lists can be long. */
function hasWord(value: string, wanted: string): boolean {
  for (let at = value.indexOf(wanted); at !== -1; at = value.indexOf(wanted, at + wanted.length)) {
    const before = value[at - 1] ?? " ";
    const after = value[at + wanted.length] ?? " ";
    if (before.trim() === "" && after.trim() === "") return true;
  }
  return false;
}

function pseudoTest(
  { name, data }: Extract<Selector, { type: SelectorType.Pseudo }>,
  selector: string,
): Step["tests"][number] {
  if (name === "first-child") return (_, { fromStart }) => fromStart === 1;
  if (name === "last-child") return (_, { fromEnd }) => fromEnd === 1;
  if (name === "only-child") return (_, { fromStart, fromEnd }) => fromStart === 1 && fromEnd === 1;
  if (name === "empty") return ({ children }) => children.length === 0;
  if (name === "nth-child" && typeof data === "string") return nth(data, selector);
  if ((name === "not" || name === "is") && Array.isArray(data)) {
    const alternatives = data.map((tokens) => tokens.map((token) => testOf(token, selector))); // a combinator is refused
    return (element, place) =>
      alternatives.some((tests) => tests.every((test) => test(element, place))) === (name === "is");
  }
  throw refuse(selector, `":${name}" is not supported`);
}

function nth(formula: string, selector: string): Step["tests"][number] {
  const text = formula.replaceAll(" ", "").toLowerCase();
  const [step, offset] = text === "odd" ? [2, 1] : text === "even" ? [2, 0] : (numbersOf(text) ?? [Number.NaN, 0]);
  if (Number.isNaN(step)) throw refuse(selector, `"${formula}" is no formula for nth-child`);
  return (_, { fromStart }) =>
    step === 0 ? fromStart === offset : (fromStart - offset) % step === 0 && (fromStart - offset) / step >= 0;
}

function numbersOf(text: string): [number, number] | undefined {
  if (/^[+-]?\d{1,6}$/.test(text)) return [0, Number(text)];
  const match = /^(?<step>[+-]?\d{0,6})n(?<offset>[+-]\d{1,6})?$/.exec(text)?.groups;
  if (match === undefined) return undefined;
  const step = match["step"]!;
  return [step === "" || step === "+" ? 1 : step === "-" ? -1 : Number(step), Number(match["offset"] ?? 0)];
}
