import { type UnknownName, unknownNames } from "../../format/record/known-names.js";
import type { LogRecord } from "../../format/record/record.js";

/** A name in the files that turnlog does not know yet. */
export interface Drift extends UnknownName {
  readonly count: number;
  readonly firstVersion: string | null; // of Claude Code; side records carry none, so the last one seen before it
  readonly line: number; // an example
}

export interface DriftView {
  readonly drifts: readonly Drift[];
  /** Occurrences of further names, beyond the limit of the list. */
  readonly unlisted: number;
}

export interface DriftReport {
  add(record: LogRecord): void;
  view(): DriftView;
}

const MAX_NAMES = 1000;

/** Counts the names in a file that turnlog does not know. Never fails. */
export function createDriftReport(): DriftReport {
  const seen = new Map<string, Drift>();
  let version: string | null = null;
  let unlisted = 0;

  function note(unknown: UnknownName, line: number): void {
    const key = JSON.stringify([unknown.kind, unknown.within, unknown.name]);
    const known = seen.get(key);
    if (known) seen.set(key, { ...known, count: known.count + 1 });
    else if (seen.size < MAX_NAMES) seen.set(key, { ...unknown, count: 1, firstVersion: version, line });
    else unlisted += 1;
  }

  return {
    add(record) {
      if (record.kind === "broken") return;
      version = record.version ?? version;
      for (const unknown of unknownNames(record)) note(unknown, record.line);
    },
    view: () => ({ drifts: [...seen.values()], unlisted }),
  };
}
