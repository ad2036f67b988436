import { eachChild, isClass, isFunction, isTypeOnly, nameOf, nodeAt, nodesAt } from "./syntax.ts";
import type { Node } from "./syntax.ts";

export type BindingKind = "const" | "let" | "var" | "function" | "class" | "using" | "enum" | "member" | "local";

/** A name that is read, written or called. `this`, `super` and `new.target` count as names that functions bind. */
export interface Reference {
  name: string;
  node: Node;
  /** `{ name }` in an object literal or pattern. */
  shorthand: boolean;
  /** `name(…)` or `new name(…)`. */
  called: boolean;
}

export interface Scopes {
  /** What the outermost scope declares, in source order. */
  declares: { name: string; kind: BindingKind; node: Node }[];
  /** References that nothing in the tree declares. */
  free: Reference[];
  /** Per function and class: the names it takes from scopes around it that are not the outermost. */
  captured: Map<Node, Set<string>>;
  /** References to a member of the enum around them, with the enum's name. */
  members: { reference: Reference; enum: string }[];
  /** Enums whose name was taken: the parser lets them pass. */
  repeated: Node[];
}

const PSEUDO = new Set(["this", "super", "new.target"]);
export const isPseudo = (name: string): boolean => PSEUDO.has(name);

interface ScopeOptions {
  /** The function or class whose outermost scope this is. */
  closure?: Node;
  /** `var` stays here. */
  hoists?: boolean;
  /** The name of the enum whose members this scope holds. */
  enum?: string;
}

class Scope {
  readonly bindings = new Map<string, BindingKind>();
  readonly parent: Scope | undefined;
  readonly closure: Node | undefined;
  readonly enum: string | undefined;
  /** Where `var` goes. */
  readonly hoist: Scope;

  constructor(parent: Scope | undefined, options: ScopeOptions = {}) {
    this.parent = parent;
    this.closure = options.closure;
    this.enum = options.enum;
    this.hoist = options.hoists === true || !parent ? this : parent.hoist;
  }
}

/** Resolves every name of a tree. Names of types are never looked at. */
export const scopesOf = (root: Node): Scopes => new Analysis().run(root);

class Analysis {
  readonly #outermost = new Scope(undefined, { hoists: true });
  readonly #references: { reference: Reference; from: Scope }[] = [];
  readonly #result: Scopes = { declares: [], free: [], captured: new Map(), members: [], repeated: [] };

  run(root: Node): Scopes {
    this.#visit(root, this.#outermost);
    for (const { reference, from } of this.#references) this.#resolve(reference, from);
    return this.#result;
  }

  #resolve(reference: Reference, from: Scope): void {
    let found: Scope | undefined = from;
    while (found && !found.bindings.has(reference.name)) found = found.parent;
    if (!found) {
      this.#result.free.push(reference);
      return;
    }
    if (found.enum !== undefined) this.#result.members.push({ reference, enum: found.enum });
    // A resource is gone when the cell ends: whoever keeps it keeps a local.
    if (found === this.#outermost && found.bindings.get(reference.name) !== "using") return;
    for (let at: Scope | undefined = from; at && at !== found; at = at.parent) {
      if (at.closure) this.#result.captured.get(at.closure)?.add(reference.name);
    }
  }

  #declare(name: Node, kind: BindingKind, into: Scope): void {
    const known = into.bindings.get(nameOf(name));
    if (kind === "enum" && known !== undefined) this.#result.repeated.push(name);
    if (into === this.#outermost && known === undefined) {
      this.#result.declares.push({ name: nameOf(name), kind, node: name });
    }
    into.bindings.set(nameOf(name), kind);
  }

  #refer(node: Node, from: Scope, more: { name?: string; shorthand?: boolean; called?: boolean } = {}): void {
    const { name = nameOf(node), shorthand = false, called = false } = more;
    this.#references.push({ reference: { name, node, shorthand, called }, from });
  }

  #visit(node: Node, within: Scope): void {
    if (isTypeOnly(node)) return;
    if (isFunction(node)) return this.#visitFunction(node, within);
    if (isClass(node)) return this.#visitClass(node, within);
    switch (node.type) {
      case "Identifier":
        return this.#refer(node, within);
      case "ThisExpression":
        return this.#refer(node, within, { name: "this" });
      case "Super":
        return this.#refer(node, within, { name: "super" });
      case "MetaProperty":
        return this.#refer(node, within, { name: "new.target" });
      case "VariableDeclaration":
        return this.#visitDeclaration(node, within);
      case "CallExpression":
      case "NewExpression":
        return this.#visitCall(node, within);
      case "MemberExpression":
      case "Property":
        return this.#visitKeyed(node, within);
      case "LabeledStatement":
        return this.#visitField(node, "body", within);
      case "BreakStatement":
      case "ContinueStatement":
        return;
      case "BlockStatement":
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
        return this.#visitChildren(node, new Scope(within));
      case "SwitchStatement":
        return this.#visitSwitch(node, within);
      case "CatchClause":
        return this.#visitCatch(node, within);
      case "TSEnumDeclaration":
        return this.#visitEnum(node, within);
      default:
        return this.#visitChildren(node, within);
    }
  }

  #visitChildren(node: Node, within: Scope): void {
    eachChild(node, (child) => this.#visit(child, within));
  }

  #visitField(node: Node, field: string, within: Scope): void {
    const child = nodeAt(node, field);
    if (child) this.#visit(child, within);
  }

  #visitCall(node: Node, within: Scope): void {
    const callee = nodeAt(node, "callee");
    if (callee?.type === "Identifier") this.#refer(callee, within, { called: true });
    else if (callee) this.#visit(callee, within);
    for (const argument of nodesAt(node, "arguments")) this.#visit(argument, within);
  }

  /** A member access or a property: its key is a name only when it is computed. */
  #visitKeyed(node: Node, within: Scope): void {
    const access = node.type === "MemberExpression";
    if (node["computed"] === true) this.#visitField(node, access ? "property" : "key", within);
    const value = nodeAt(node, access ? "object" : "value");
    if (!value) return;
    if (node["shorthand"] === true && value.type === "Identifier") this.#refer(value, within, { shorthand: true });
    else if (node["shorthand"] === true && value.type === "AssignmentPattern") {
      const left = nodeAt(value, "left");
      if (left) this.#refer(left, within, { shorthand: true });
      this.#visitField(value, "right", within);
    } else if (isMethod(node)) {
      const home = new Scope(within);
      home.bindings.set("super", "local");
      this.#visit(value, home);
    } else this.#visit(value, within);
  }

  #visitDeclaration(node: Node, within: Scope): void {
    const kind = declarationKind(node);
    for (const declarator of nodesAt(node, "declarations")) {
      const pattern = nodeAt(declarator, "id");
      if (pattern) this.#bind(pattern, { kind, into: kind === "var" ? within.hoist : within, within });
      this.#visitField(declarator, "init", within);
    }
  }

  /** Declares the names of a pattern; its defaults and computed keys are looked up `within`. */
  #bind(pattern: Node, how: { kind: BindingKind; into: Scope; within: Scope }): void {
    switch (pattern.type) {
      case "Identifier":
        return this.#declare(pattern, how.kind, how.into);
      case "AssignmentPattern":
        this.#bindField(pattern, "left", how);
        return this.#visitField(pattern, "right", how.within);
      case "RestElement":
        return this.#bindField(pattern, "argument", how);
      case "TSParameterProperty":
        return this.#bindField(pattern, "parameter", how);
      case "Property":
        if (pattern["computed"] === true) this.#visitField(pattern, "key", how.within);
        return this.#bindField(pattern, "value", how);
      default:
        for (const part of [...nodesAt(pattern, "properties"), ...nodesAt(pattern, "elements")]) this.#bind(part, how);
    }
  }

  #bindField(pattern: Node, field: string, how: { kind: BindingKind; into: Scope; within: Scope }): void {
    const inner = nodeAt(pattern, field);
    if (inner) this.#bind(inner, how);
  }

  #visitFunction(node: Node, within: Scope): void {
    const name = nodeAt(node, "id");
    const params = new Scope(within, { closure: node, hoists: true });
    this.#result.captured.set(node, new Set());
    if (name && node.type === "FunctionDeclaration") this.#declare(name, "function", within);
    else if (name) params.bindings.set(nameOf(name), "local");
    if (node.type !== "ArrowFunctionExpression") {
      for (const own of ["this", "arguments", "new.target"]) params.bindings.set(own, "local");
    }
    for (const param of nodesAt(node, "params")) {
      if (nameOf(param) !== "this") this.#bind(param, { kind: "local", into: params, within: params });
    }
    const body = nodeAt(node, "body");
    // The body has a scope of its own: a default does not see the body's variables.
    if (body?.type === "BlockStatement") this.#visitChildren(body, new Scope(params, { hoists: true }));
    else if (body) this.#visit(body, params);
  }

  #visitClass(node: Node, within: Scope): void {
    const name = nodeAt(node, "id");
    const inside = new Scope(within, { closure: node });
    this.#result.captured.set(node, new Set());
    if (name && node.type === "ClassDeclaration") this.#declare(name, "class", within);
    else if (name) inside.bindings.set(nameOf(name), "local");
    this.#visitField(node, "superClass", inside);
    const members = nodeAt(node, "body");
    if (!members) return;
    for (const member of nodesAt(members, "body")) this.#visitClassMember(member, inside);
  }

  #visitClassMember(member: Node, inside: Scope): void {
    if (isTypeOnly(member)) return;
    if (member["computed"] === true) this.#visitField(member, "key", inside);
    const home = new Scope(inside, { hoists: member.type === "StaticBlock" });
    home.bindings.set("super", "local");
    if (member.type === "MethodDefinition") return this.#visitField(member, "value", home);
    home.bindings.set("this", "local");
    home.bindings.set("new.target", "local");
    if (member.type === "StaticBlock") this.#visitChildren(member, home);
    else this.#visitField(member, "value", home);
  }

  #visitSwitch(node: Node, within: Scope): void {
    this.#visitField(node, "discriminant", within);
    const cases = new Scope(within);
    for (const part of nodesAt(node, "cases")) this.#visitChildren(part, cases);
  }

  #visitCatch(node: Node, within: Scope): void {
    const inside = new Scope(within);
    const param = nodeAt(node, "param");
    if (param) this.#bind(param, { kind: "local", into: inside, within: inside });
    this.#visitField(node, "body", inside);
  }

  #visitEnum(node: Node, within: Scope): void {
    const name = nodeAt(node, "id");
    if (name) this.#declare(name, "enum", within);
    const inside = new Scope(within, { enum: nameOf(name) });
    const members = nodesAt(node, "members");
    for (const member of members) inside.bindings.set(memberName(member), "member");
    for (const member of members) this.#visitField(member, "initializer", inside);
  }
}

const isMethod = (node: Node): boolean => node["method"] === true || node["kind"] === "get" || node["kind"] === "set";

export const memberName = (member: Node): string => {
  const id = nodeAt(member, "id");
  return typeof id?.["value"] === "string" ? id["value"] : nameOf(id);
};

const declarationKind = (node: Node): BindingKind => {
  const kind = node["kind"];
  if (kind === "const" || kind === "let" || kind === "var") return kind;
  return "using";
};
