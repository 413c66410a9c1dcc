import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readIfReadable } from "../../errors.js";
import { arrayAt, isObject, stringAt, tryParseJson } from "../../format/json.js";
import { attempt } from "../../format/layout/folder-listing.js";
import type { MovedFolder } from "../../format/layout/map-path.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { ensureDataDir } from "../../store/data-dir.js";

/** A project that is being moved, or was: written before anything is moved, so that a killed move is completed. */
export interface MoveJournal extends MovedFolder {
  readonly startedAt: string;
  readonly state: "started" | "done" | "undone";
  readonly sessions: readonly JournalSession[];
  /** Folders beside the sessions: memory. */
  readonly besides: readonly { readonly path: string; readonly to: string }[];
}

export interface JournalSession {
  readonly id: string;
  readonly root: string;
  /** Of the transcript. */
  readonly path: string;
  readonly to: string;
  /** The folder it worked in: the project, or one below it. */
  readonly from: string;
  readonly cwd: string;
}

/** Replaces the one that began at the same time. */
export function writeJournal(dataDir: string, journal: MoveJournal): void {
  const name = `${journal.startedAt.replaceAll(/[:.]/g, "-")}.json`;
  atomicWrite(join(ensureDataDir(dataDir, "moves"), name), `${JSON.stringify({ version: 1, ...journal }, null, 1)}\n`);
}

/** Latest first. */
export function readJournals(dataDir: string): MoveJournal[] {
  const folder = join(dataDir, "moves");
  const names = attempt(folder, [], () => readdirSync(folder)) ?? [];
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .reverse()
    .flatMap((name) => {
      const json = tryParseJson(readIfReadable(join(folder, name)) ?? "");
      return isJournal(json) ? [json] : [];
    });
}

function isJournal(json: unknown): json is MoveJournal {
  const texts = ["from", "to", "startedAt", "state"].map((key) => stringAt(json, key));
  return isObject(json) && texts.every((text) => text !== undefined) && arrayAt(json, "sessions").every(isObject);
}
