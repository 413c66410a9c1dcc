import { READING_FORMS } from "./forms/reading-forms.js";
import { readVersionQuery } from "./forms/version-query.js";
import { type ReadCall, readArguments } from "./read-arguments.js";
import { READERS } from "./readers.js";

/** What a call opens, if it is known to only read. */
export function readCall(program: string, args: readonly string[]): ReadCall {
  const version = readVersionQuery(program, args);
  if (version) return version;
  const form = READING_FORMS.get(program);
  if (form) return form(args);
  const reader = READERS.get(program);
  return reader ? readArguments(args, reader) : { problem: `\`${program}\` is not known to only read` };
}

/** Whether it is among the programs that read, however it is called. */
export function isReader(program: string): boolean {
  return READERS.has(program) || READING_FORMS.has(program);
}

export function isBuiltinReader(program: string): boolean {
  return (READERS.get(program)?.isBuiltin ?? false) || /^(?:test|\[|set)$/.test(program);
}
