import { escapePattern } from "../../../redact/escape-pattern.js";
import { isMeantByRule } from "./rule-meaning.js";
import type { SimpleCommand, Word } from "./shell-node.js";
import { readShellTree } from "./shell-tree.js";

/** A command as a rule names it: without its redirections, which are judged on their own. */
export function commandText({ assignments, words }: SimpleCommand): string {
  return [...assignments.map(({ name, value }) => `${name}=${value.text}`), ...words.map(({ text }) => text)].join(" ");
}

/**
 * Whether a rule allows this command. Rule and command are compared word by word. `npm test:*` and `npm test *` match every command
 * that starts with these words; a `*` between words matches words that are no options, and inside a word any text of that word.
 */
export function allowsCommand(spec: string, command: SimpleCommand): boolean {
  if (spec === commandText(command)) return true;
  const beginning = /^([\s\S]*?)(?::\*| \*)$/.exec(spec)?.[1];
  const wanted = specWords(beginning ?? spec);
  if (!wanted) return false;
  const given = [...command.assignments.map(({ name, value }) => prefixed(`${name}=`, value)), ...command.words];
  return matchWords(wanted, given, beginning !== undefined) && isMeantByRule(wanted, given);
}

function prefixed(text: string, word: Word): Word {
  const value = word.value === undefined ? undefined : text + word.value;
  return { pieces: [{ kind: "text", text }, ...word.pieces], value, text: text + word.text };
}

const MAX_WORDS = 500;
const specs = new Map<string, readonly Word[] | undefined>();

function specWords(spec: string): readonly Word[] | undefined {
  if (!specs.has(spec)) specs.set(spec, parseSpec(spec));
  return specs.get(spec);
}

function parseSpec(spec: string): readonly Word[] | undefined {
  const tree = readShellTree(spec);
  const [item, ...more] = tree.kind === "list" ? tree.items : [];
  if (!item || more.length > 0 || item.isBackground || item.node.kind !== "command" || item.node.redirects.length > 0)
    return undefined;
  const { assignments, words } = item.node;
  return [...assignments.map(({ name, value }) => prefixed(`${name}=`, value)), ...words];
}

function matchWords(wanted: readonly Word[], given: readonly Word[], isOpen: boolean): boolean {
  const [pattern, ...patterns] = wanted;
  if (!pattern) return isOpen || given.length === 0;
  const [word, ...words] = given;
  if (!word || !matchWord(pattern, word)) return false;
  const isAnyWord = pattern.pieces.length === 1 && pattern.pieces[0]?.kind === "glob" && pattern.value === "*";
  if (isAnyWord && (word.value?.startsWith("-") || given.length > MAX_WORDS)) return false;
  return matchWords(patterns, words, isOpen) || (isAnyWord && matchWords(wanted, words, isOpen));
}

function matchWord(pattern: Word, word: Word): boolean {
  if (word.value === undefined || word.pieces.some(({ kind }) => kind === "glob")) return false;
  if (!pattern.pieces.some((piece) => piece.kind === "glob" && piece.text === "*")) return pattern.value === word.value;
  const source = pattern.pieces.map((piece) => {
    if (piece.kind === "glob" && piece.text === "*") return "[\\s\\S]*";
    return "text" in piece ? escapePattern(piece.text) : "";
  });
  return new RegExp(`^${source.join("")}$`).test(word.value);
}

/** How rules that forbid match: the text of a form, generously. */
export function matchesText(spec: string, command: string): boolean {
  const beginning = /^([^*]*)(?::| )\*$/.exec(spec)?.[1]?.trim();
  if (beginning !== undefined) return command === beginning || command.startsWith(`${beginning} `);
  if (!spec.includes("*")) return command === spec;
  const pattern = spec.split("*").map(escapePattern).join("[\\s\\S]*");
  return new RegExp(`^${pattern}$`).test(command);
}
