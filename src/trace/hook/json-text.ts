/**
 * Settings that people write by hand: JSON that may have comments and trailing commas. It is read into nodes that know their
 * place in the text, so that one part can be changed while every other byte stays.
 */
export interface JsonNode {
  readonly kind: "object" | "list" | "scalar";
  readonly start: number;
  readonly end: number;
  /** Of an object or list, in order. */
  readonly children: readonly JsonChild[];
  /** Of a scalar. */
  readonly value: unknown;
}

export interface JsonChild {
  readonly key: string | undefined; // of a member
  readonly start: number; // of its key, else of its value
  readonly node: JsonNode;
}

/** Undefined: it is not JSON, even with comments. */
export function parseJsonText(text: string): JsonNode | undefined {
  const parser = new Parser(text);
  try {
    return parser.whole();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === "object" ? node.children.findLast((child) => child.key === key)?.node : undefined;
}

/** As `JSON.parse` gives it. */
export function toValue(node: JsonNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.children.map((child) => toValue(child.node));
  return Object.fromEntries(node.children.map(({ key = "", node: value }) => [key, toValue(value)]));
}

class Parser {
  #at = 0;

  constructor(private readonly text: string) {}

  whole(): JsonNode {
    if (this.text.charCodeAt(0) === 0xfeff) this.#at = 1;
    this.#skip();
    const node = this.#value();
    this.#skip();
    if (this.#at < this.text.length) throw new SyntaxError("more than one value");
    return node;
  }

  #value(): JsonNode {
    const start = this.#at;
    const first = this.text[start];
    if (first === "{") return this.#container("object", "}");
    if (first === "[") return this.#container("list", "]");
    const match = SCALAR.exec(this.text.slice(start, start + MAX_SCALAR));
    if (!match) throw new SyntaxError("no value");
    this.#at = start + match[0].length;
    return { kind: "scalar", start, end: this.#at, children: [], value: JSON.parse(match[0]) };
  }

  #container(kind: "object" | "list", close: string): JsonNode {
    const start = this.#at++;
    const children: JsonChild[] = [];
    for (this.#skip(); this.text[this.#at] !== close; this.#skip()) {
      children.push(this.#child(kind));
      this.#skip();
      if (this.text[this.#at] === ",") this.#at += 1;
      else if (this.text[this.#at] !== close) throw new SyntaxError("no comma");
    }
    this.#at += 1;
    return { kind, start, end: this.#at, children, value: undefined };
  }

  #child(kind: "object" | "list"): JsonChild {
    const start = this.#at;
    if (kind === "list") return { key: undefined, start, node: this.#value() };
    const key = this.#value().value;
    this.#skip();
    if (typeof key !== "string" || this.text[this.#at] !== ":") throw new SyntaxError("no member");
    this.#at += 1;
    this.#skip();
    return { key, start, node: this.#value() };
  }

  #skip(): void {
    this.#at = skipBlank(this.text, this.#at);
  }
}

const SCALAR = /^(?:"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/;
const MAX_SCALAR = 1_000_000;

/** Behind spaces and comments. */
function skipBlank(text: string, start: number): number {
  const blank = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
  blank.lastIndex = start;
  blank.exec(text);
  return blank.lastIndex;
}

/** The text with one more child at the end of an object or list, in the style of those that are there. */
export function insertChild(text: string, parent: JsonNode, key: string | undefined, value: unknown): string {
  const last = parent.children.at(-1);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const isFlat = last !== undefined && !/\n/.test(text.slice(parent.start, last.start));
  const indent = isFlat ? "" : last ? indentAt(text, last.start) : `${indentAt(text, parent.start)}${unitOf(text)}`;
  const printed = isFlat ? JSON.stringify(value) : JSON.stringify(value, null, unitOf(text));
  const name = key === undefined ? "" : `${JSON.stringify(key)}:${isFlat ? "" : " "}`;
  const child = `${name}${printed.replaceAll("\n", `${eol}${indent}`)}`;
  if (last) return splice(text, last.node.end, last.node.end, isFlat ? `,${child}` : `,${eol}${indent}${child}`);
  const inner = text.slice(parent.start + 1, parent.end - 1);
  const tail = `${eol}${indentAt(text, parent.start)}`;
  return splice(text, parent.start + 1, parent.end - 1, `${inner.trimEnd()}${eol}${indent}${child}${tail}`);
}

/** The text without one child. Comments around it stay. */
export function removeChild(text: string, parent: JsonNode, child: JsonChild): string {
  const at = parent.children.indexOf(child);
  const [before, after] = [parent.children[at - 1], parent.children[at + 1]];
  if (!before && !after) {
    const [open, close] = [parent.start + 1, parent.end - 1];
    const rest = `${text.slice(open, child.start)}${text.slice(child.node.end, close).replace(/^\s*,/, "")}`;
    return splice(text, open, close, rest.trim() === "" ? "" : rest);
  }
  if (after) {
    const gap = text.slice(child.node.end, after.start);
    return splice(text, child.start, isPlainGap(gap) ? after.start : child.node.end + gap.indexOf(",") + 1, "");
  }
  const from = before?.node.end ?? parent.start;
  const gap = text.slice(from, child.start);
  if (isPlainGap(gap)) return splice(text, from, child.node.end, "");
  return splice(splice(text, child.start, child.node.end, ""), from, child.start, gap.replace(",", "").trimEnd());
}

export function replaceNode(text: string, { start, end }: JsonNode, value: unknown): string {
  return splice(text, start, end, JSON.stringify(value));
}

function isPlainGap(gap: string): boolean {
  return /^[\s,]*$/.test(gap);
}

function splice(text: string, start: number, end: number, inserted: string): string {
  return `${text.slice(0, start)}${inserted}${text.slice(end)}`;
}

/** The spaces at the beginning of the line. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function unitOf(text: string): string {
  return /^\s*\{\s*?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
}
