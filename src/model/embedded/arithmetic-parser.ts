const WORDS: readonly [RegExp, string][] = [
  [/\bdivided by\b|\bover\b|÷/gi, "/"],
  [/\bmultiplied by\b|\btimes\b|×|(?<=[\d)])\s*x\s*(?=[\d(])/gi, "*"],
  [/\bplus\b|\badded to\b/gi, "+"],
  [/\bminus\b|−/gi, "-"],
  [/\bto the power of\b|\^/gi, "**"],
  [/\bsquared\b/gi, "**2"],
  [/(?<=\d),(?=\d{3}\b)|\$/g, ""],
  [/(\d+(?:\.\d+)?)\s*(?:%|percent) of\b/gi, "($1/100)*"],
  [/\b(?:the )?square root of\b|\bsqrt\b|√/gi, "#"],
  [/\bmod(?:ulo)?\b/gi, "%"],
];

/**
 * An arithmetic expression as JavaScript, or null when the text is none. It recurses: the caller bounds the length.
 *
 * What comes out holds digits, operators, parentheses and Math.sqrt alone, whatever came in: it is written anew from what was parsed.
 */
export function parseArithmetic(text: string): string | null {
  const plain = WORDS.reduce((result, [pattern, sign]) => result.replace(pattern, sign), text);
  if (!/\d/.test(plain) || !/^[\d\s.+\-*/%()#]*$/.test(plain) || !/[+\-*/%#]/.test(plain.trim().slice(0, -1)))
    return null;
  const tokens = plain.match(/\d+(?:\.\d+)?|\.\d+|\*\*|[-+*/%()#]/g) ?? [];
  if (tokens.join("") !== plain.replace(/\s+/g, "") || tokens.length < 2) return null;
  const parser = new Parser(tokens);
  const code = parser.sum();
  return code !== null && parser.isAtEnd() ? code : null;
}

/** Recursive descent; each method answers the code of what it read, or null. */
class Parser {
  #at = 0;
  readonly #tokens: readonly string[];

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  sum(): string | null {
    return this.#chain(["+", "-"], () => this.#chain(["*", "/", "%"], () => this.#power()));
  }

  #chain(signs: readonly string[], operand: () => string | null): string | null {
    let code = operand();
    while (code !== null && signs.includes(this.#tokens[this.#at] ?? "")) {
      const sign = this.#tokens[this.#at++];
      const right = operand();
      code = right === null ? null : `${code} ${sign} ${right}`;
    }
    return code;
  }

  #power(): string | null {
    const base = this.#unary();
    if (base === null || this.#tokens[this.#at] !== "**") return base;
    this.#at++;
    const exponent = this.#power();
    return exponent === null ? null : `(${base}) ** (${exponent})`;
  }

  #unary(): string | null {
    const token = this.#tokens[this.#at++];
    if (token === "-" || token === "#") {
      const operand = token === "-" ? this.#power() : this.#unary();
      if (operand === null) return null;
      return token === "-" ? `(-(${operand}))` : `Math.sqrt(${operand})`;
    }
    if (token === "(") {
      const inside = this.sum();
      return inside !== null && this.#tokens[this.#at++] === ")" ? `(${inside})` : null;
    }
    const value = token === undefined || !/^[\d.]+$/.test(token) ? Number.NaN : Number(token);
    return Number.isFinite(value) ? String(value) : null;
  }
}
