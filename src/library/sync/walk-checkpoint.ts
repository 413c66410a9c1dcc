import { statSync } from "node:fs";
import { dirname } from "node:path";
import { stateKey, stateOf } from "../../format/identity/file-identity.js";
import { attempt, listFolder } from "../../format/layout/folder-listing.js";
import { projectsDirOf, sessionPaths } from "../../format/layout/session-paths.js";
import type { Database } from "../../store/sqlite.js";
import { isGrowing } from "../activity.js";
import { readMeta, writeMeta } from "../catalog/open-index.js";
import type { Archive } from "../found-session.js";
import type { LibraryWalk } from "../sources/walk-library.js";

/** The state of folders and recent sessions at the last full walk, where changes are likely. */
interface WalkCheckpoint {
  readonly at: number; // ms since the epoch
  readonly withoutTranscript: number;
  readonly states: readonly (readonly [path: string, state: string])[];
}

/** File systems count time in steps of up to 2 s: a later change within one step leaves the same time. */
const COARSEST_TIME_MS = 2000;

/**
 * Saves the state of the project folders, of recent sessions, and of the other files in a configuration folder, which
 * Claude Code writes as it works (prompt history), so that the next command can skip the walk when none of them changed.
 * Nothing is saved while files are being written or cannot be read.
 */
export function saveWalkCheckpoint(
  db: Database,
  roots: readonly string[],
  walk: Pick<LibraryWalk, "files" | "folders" | "problems" | "withoutTranscript">,
  started: number,
  archive?: Archive,
): void {
  const paths = [...roots, ...roots.flatMap(listInside), ...walk.folders, ...(archive ? [archive.folder] : [])];
  for (const { path, mtimeMs, agent } of walk.files) {
    if (!isGrowing(mtimeMs, started)) continue;
    const { subagentsDir, customTitleFile } = sessionPaths(path);
    paths.push(path, ...(agent ? [dirname(path)] : [subagentsDir, customTitleFile]));
  }
  const states = [...new Set(paths)].map((path) => [path, lookAt(path)] as const);
  const isQuiescent =
    walk.problems.length === 0 && states.every(([, { mtimeMs }]) => mtimeMs < started - COARSEST_TIME_MS);
  const last: WalkCheckpoint | undefined = isQuiescent
    ? {
        at: started,
        withoutTranscript: walk.withoutTranscript,
        states: states.map(([path, { state }]) => [path, state]),
      }
    : undefined;
  writeMeta(db, keyOf(roots), JSON.stringify(last ?? null));
}

/** The projects folder; of a configuration folder also the entries beside it. */
function listInside(root: string): string[] {
  const projects = projectsDirOf(root);
  const paths = listFolder(root).entries.map(({ path }) => path);
  return paths.includes(projects) ? paths : [projects];
}

/**
 * The last full walk, if it is younger than `maxAgeMs` and none of the saved states changed. Until the next full walk
 * this misses changes to sessions and sub-agents that had not been written for days (`isGrowing`).
 */
export function findWalkCheckpoint(
  db: Database,
  roots: readonly string[],
  maxAgeMs: number,
  now = Date.now(),
): WalkCheckpoint | undefined {
  const last = JSON.parse(readMeta(db, keyOf(roots)) ?? "null") as WalkCheckpoint | null;
  const age = now - (last?.at ?? Number.NaN);
  const isFresh = age >= 0 && age < maxAgeMs;
  return last && isFresh && last.states.every(([path, state]) => lookAt(path).state === state) ? last : undefined;
}

function keyOf(roots: readonly string[]): string {
  return `last walk ${roots.join("\n")}`;
}

function lookAt(path: string): { readonly mtimeMs: number; readonly state: string } {
  const stats = attempt(path, [], () => statSync(path, { throwIfNoEntry: false }));
  // A state within a step of the clock is left out as a whole, see `isQuiescent`.
  const state = stats && stateKey(stateOf(stats, Number.POSITIVE_INFINITY));
  return { mtimeMs: stats?.mtimeMs ?? 0, state: state ?? "" };
}
