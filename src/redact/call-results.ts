import { isBareSecret, printsSecret, readsSecretFile } from "./finders/find-printed.js";
import type { Finding } from "./finders/finding.js";

/** What tools have printed alone, after a call that asks for a secret: call and result stand in different records. */
export interface CallResults {
  /** Looks at an object of a record or of a turn, and returns what is a secret in it because of its call. */
  notice(source: object): readonly string[];
  find(text: string): Finding[];
}

const MAX_KNOWN = 1000;
const MAX_TEXT = 2500; // what prints a secret prints little else
const MAX_LINES = 5;
const MAX_COMMAND = 1000;
const LINE = /[^\r\n]+/g;
const LINE_NUMBER = /^[ \t]*\d{1,6}(?:→|\t)/;

export function createCallResults(): CallResults {
  const calls = new Set<string>();
  const values = new Set<string>();
  return {
    notice(source) {
      const { id, input, name, result } = fieldsOf(source);
      const asks = isObject(input) && asksForSecret(name, input);
      if (asks && typeof id === "string" && calls.size < MAX_KNOWN) calls.add(id);
      const answered = [Reflect.get(source, "tool_use_id"), Reflect.get(source, "toolUseId")];
      const isAnswer = calls.size > 0 && answered.some((call) => typeof call === "string" && calls.has(call));
      const texts = isAnswer ? textsOf(Reflect.get(source, "content") ?? result) : asks ? textsOf(result) : [];
      const found = texts.flatMap(secretLines).map(({ text }) => text);
      for (const value of found) if (values.size < MAX_KNOWN) values.add(value);
      return found;
    },
    find(text) {
      if (values.size === 0 || text.length > MAX_TEXT) return [];
      return linesOf(text)
        .filter((line) => values.has(line.text))
        .map(({ start, end }) => ({ kind: "secret", start, end, certain: false }));
    },
  };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const fieldsOf = (source: object) =>
  source as { readonly id?: unknown; readonly input?: unknown; readonly name?: unknown; readonly result?: unknown };

/** `cat ~/.pgpass` in a shell, a file of credentials that is read. */
function asksForSecret(name: unknown, input: object): boolean {
  const command: unknown = Reflect.get(input, "command");
  if (typeof command === "string") return command.length <= MAX_COMMAND && printsSecret(command);
  const path: unknown = Reflect.get(input, "file_path");
  const isRead = name === "Read" || (name === undefined && Object.keys(input).every((key) => READ_FIELDS.has(key)));
  return isRead && typeof path === "string" && readsSecretFile(path);
}

const READ_FIELDS: ReadonlySet<string> = new Set(["file_path", "offset", "limit", "pages"]);

/** The texts of a result: one, or a list of blocks. */
function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    const text: unknown = isObject(block) ? Reflect.get(block, "text") : undefined;
    return typeof text === "string" ? [text] : [];
  });
}

interface ResultLine {
  readonly text: string;
  readonly start: number;
  readonly end: number; // exclusive
}

/** The lines without white space and the numbers that `Read` puts before them. */
function linesOf(text: string): ResultLine[] {
  return [...text.matchAll(LINE)].map(({ 0: line, index }) => {
    const number = LINE_NUMBER.exec(line)?.[0].length ?? 0;
    const value = line.slice(number).trim();
    const start = index + line.indexOf(value, number);
    return { text: value, start, end: start + value.length };
  });
}

function secretLines(text: string): ResultLine[] {
  if (text.length > MAX_TEXT) return [];
  const lines = linesOf(text).filter(({ text: line }) => line !== "");
  return lines.length > MAX_LINES ? [] : lines.filter(({ text: line }) => !/\s/.test(line) && isBareSecret(line));
}
