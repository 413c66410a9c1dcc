import type { CallUse } from "./call-uses.js";

/** Reads whose file was read again later: the same part of it, or all. Only turns of the active branch count. */
export function findRepeatedReads(calls: Iterable<CallUse>): CallUse[] {
  const later = new Set<string>();
  const repeated: CallUse[] = [];
  for (const call of [...calls].reverse()) {
    const { read, turn, isOk } = call;
    if (!read || !turn || !isOk) continue;
    const part = `${read.path}\n${read.range}`;
    if (later.has(part) || later.has(`${read.path}\n`)) repeated.push(call);
    later.add(part);
  }
  return repeated;
}
