import { listAt } from "../../session/list-at.js";
import type { CallUse } from "./call-uses.js";

/** Reads of which a later one holds all: the same lines, or more. Only turns of the active branch count. */
export function findRepeatedReads(calls: Iterable<CallUse>): CallUse[] {
  const later = new Map<string, CallUse[]>();
  const repeated: CallUse[] = [];
  for (const call of [...calls].reverse()) {
    const { read, turn, isOk } = call;
    if (!read || !turn || !isOk) continue;
    const known = listAt(later, read.path);
    if (known.some((other) => holds(other, call))) repeated.push(call);
    else known.push(call);
  }
  return repeated;
}

/** Where the client noted no lines, the same part must have come back at no less length: an answer may only refer to an earlier one. */
function holds(later: CallUse, earlier: CallUse): boolean {
  if (later.lines && earlier.lines)
    return later.lines.first <= earlier.lines.first && later.lines.last >= earlier.lines.last;
  const isSamePart = later.read?.range === earlier.read?.range || later.read?.range === "";
  return isSamePart && later.resultBytes >= earlier.resultBytes;
}
