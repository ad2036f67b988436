import type { Problem } from "./compiled.ts";
import { Edits } from "./edits.ts";
import type { EditedText } from "./edits.ts";
import { qualifyMembers } from "./enum.ts";
import { Fuel } from "./fuel.ts";
import type { Scopes } from "./scope.ts";
import { Strip } from "./strip.ts";
import { traverse } from "./syntax.ts";
import type { Node } from "./syntax.ts";
import { CellValue } from "./value.ts";

/** A parsed source with its names resolved. */
export interface Tree {
  source: string;
  root: Node;
  scopes: Scopes;
}

/** A cell as JavaScript that pays for what it does and leaves its value behind, line for line. */
export const instrumentCell = (tree: Tree): { text: EditedText; problem: Problem | undefined } => {
  const edits = new Edits(tree.source);
  const value = new CellValue(edits, tree.root);
  const fuel = new Fuel(edits, tree.scopes);
  const strip = new Strip(edits);
  // Outermost first on the way in and last on the way out, so that brackets nest.
  traverse(tree.root, {
    enter(node, parent, field) {
      value.enter(node, parent, field);
      fuel.enter(node, parent, field);
      return strip.enter(node, parent, field);
    },
    leave(node, parent, field) {
      strip.leave(node, parent, field);
      fuel.leave(node, parent, field);
      value.leave(node, parent, field);
    },
  });
  qualifyMembers(edits, tree.scopes.members);
  return { text: edits.apply(), problem: strip.problems[0] };
};

/** A stored function or class that pays for what it does. */
export const instrumentFunction = (tree: Tree): string => {
  const edits = new Edits(tree.source);
  const fuel = new Fuel(edits, tree.scopes);
  traverse(tree.root, {
    enter(node, parent, field) {
      fuel.enter(node, parent, field);
      return true;
    },
    leave(node, parent, field) {
      fuel.leave(node, parent, field);
    },
  });
  return edits.apply().text;
};
