import { expandGlob, isGlob } from "../command/expand-glob.js";
import type { SimpleCommand } from "../command/shell-node.js";
import type { StartedCommand } from "../command/started-commands.js";
import { programOf } from "../command/started-programs.js";
import { resolveNamed } from "./effects.js";

/** Whether a rule is about some arguments of a program, or of any program. */
export function mayNarrow(spec: string, program: string): boolean {
  const [name = "", ...more] = spec.split(/[\s:]+/);
  if (!/^[\w./-]+$/.test(name)) return true;
  return programOf(name) === programOf(program) && more.some((word) => word !== "*");
}

/** Undefined: its program or its variables are known only when it runs. */
export function toSimple({ words, assignments }: StartedCommand): SimpleCommand | undefined {
  if (words[0]?.value === undefined || !assignments.every((text) => /^\w+=[\w.,:/-]*$/.test(text))) return undefined;
  const set = assignments.map((text) => {
    const [name = "", value = ""] = text.split("=");
    return { name, value: { value, pieces: [{ kind: "text" as const, text: value }], text: value } };
  });
  const all = words.map(({ value, pieces }) => ({ value, pieces, text: value ?? "" }));
  return { kind: "command", assignments: set, words: all, redirects: [], text: "" };
}

const MAX_MENTION = 20_000;

/** Words of an argument that could be names of programs; quotes inside of it do not hide them. */
export function programsIn(text: string): readonly string[] {
  return text
    .slice(0, MAX_MENTION)
    .replace(/['"\\]/g, "")
    .split(/[^\w./-]+/)
    .map(programOf);
}

/** Every word of a command that may be the name of a file. */
export function namesOf({ words }: StartedCommand, folder: string): readonly string[] {
  return words.flatMap(({ value = "", pieces }) => {
    const globs = isGlob(pieces) ? (expandGlob(pieces, folder)?.paths ?? []) : [];
    return [...namesIn(value), ...globs].map((path) => resolveNamed(folder, path));
  });
}

const MAX_NAMES = 20;

/** `.env` in `.env`, `-f.env`, `--file=.env`, `HEAD:.env`, `@.env`. */
function namesIn(word: string): readonly string[] {
  const ends = [...word.matchAll(/[=:@,]/g)].slice(0, MAX_NAMES).map(({ index }) => word.slice(index + 1));
  const glued = /^-\w./.test(word) ? [word.slice(2), word.replace(/^-\w+/, "")] : [];
  return [word, ...ends, ...glued].filter((name) => name !== "" && !name.includes("\0") && name.length < 4_096);
}
