import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { isFileError } from "../errors.js";
import { namesOfSecrets } from "./child-environment.js";

/**
 * Linux shows everybody of the same user the environment that a process was started with, in `/proc/<id>/environ`: the programs
 * that a chat starts would find its keys there. This overwrites them in place. `process.env` keeps its values.
 */
export function blankInitialSecrets(): void {
  if (process.platform !== "linux" || !isMainThread) return;
  try {
    const shown = readFileSync("/proc/self/environ");
    const secrets = findSecrets(shown);
    if (secrets.length > 0) overwrite(shown, secrets);
  } catch (error) {
    if (!isFileError(error)) throw error; // no /proc, or not allowed
  }
}

interface ShownSecret {
  readonly name: string;
  /** Of its value. */
  readonly offset: number;
  readonly length: number;
}

function findSecrets(shown: Buffer): readonly ShownSecret[] {
  const entries: (ShownSecret & { readonly value: string })[] = [];
  for (let start = 0; start < shown.length; ) {
    const zero = shown.indexOf(0, start);
    const end = zero === -1 ? shown.length : zero;
    const equals = shown.subarray(start, end).indexOf("=");
    const offset = start + equals + 1;
    if (equals > 0 && offset < end) {
      const name = shown.toString("utf8", start, offset - 1);
      entries.push({ name, value: shown.toString("utf8", offset, end), offset, length: end - offset });
    }
    start = end + 1;
  }
  const secret = new Set(namesOfSecrets(entries.map(({ name, value }) => [name, value])));
  return entries.filter(({ name }) => secret.has(name));
}

function overwrite(shown: Buffer, secrets: readonly ShownSecret[]): void {
  const start = initialEnvironment();
  const memory = openSync("/proc/self/mem", "r+");
  try {
    const there = Buffer.alloc(shown.length);
    readSync(memory, there, 0, there.length, start);
    if (!there.equals(shown)) return; // not where it is expected: nothing may be written
    for (const { name, offset, length } of secrets) {
      const value = process.env[name];
      if (value !== undefined) process.env[name] = value; // copied elsewhere by being set
      writeSync(memory, Buffer.alloc(length), 0, length, start + offset);
    }
  } finally {
    closeSync(memory);
  }
}

/** `env_start` is field 50; the second, a name in parentheses, may contain spaces. */
function initialEnvironment(): number {
  const stat = readFileSync("/proc/self/stat", "latin1");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[50 - 3]);
}
