import { literal } from "../cell.ts";
import type { Recipe } from "../recipe.ts";

export const greeting: Recipe = {
  name: "greeting",
  summary: "say hello, or say something back",
  example: "say hello",
  match({ text }, source) {
    if (source !== null) return null;
    if (/^(?:say |please say )?(?:hello|hi|hey|good (?:morning|evening|day))(?: there| world)?[\s!.,]*$/i.test(text))
      return {
        score: 80,
        title: "greeting",
        body: `return ${literal(/world/i.test(text) ? "Hello, world!" : "Hello!")};`,
      };
    const said = /^(?:please )?(?:say|echo|repeat(?: after me)?)(?:\s*:)?\s+(\S[\s\S]{0,2000})$/i.exec(text)?.[1];
    if (said === undefined) return null;
    const words = said.trim().replace(/^(["'`])([\s\S]*)\1$/, "$2");
    return { score: 5, title: "echo", body: `return ${literal(words)};` };
  },
};
