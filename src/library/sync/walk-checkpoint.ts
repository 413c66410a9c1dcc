import { statSync } from "node:fs";
import { dirname } from "node:path";
import { attempt, listFolder } from "../../format/layout/folder-listing.js";
import { projectsDirOf, sessionPaths } from "../../format/layout/session-paths.js";
import type { Database } from "../../store/sqlite.js";
import { readMeta, writeMeta } from "../catalog/open-index.js";
import type { Archive } from "../found-session.js";
import type { LibraryWalk } from "../sources/walk-library.js";

/** What a full look at a library saw where changes are likely. */
interface WalkCheckpoint {
  readonly at: number; // ms since the epoch
  readonly withoutTranscript: number;
  readonly states: readonly (readonly [path: string, state: string])[];
}

/** Sessions that rest longer than this are looked at by full walks alone. */
const RECENT_MS = 3 * 86_400_000;
/** A change within the resolution of file times may not be seen by its time. */
const COARSEST_TIME_MS = 2000;

/**
 * Keeps the state of all project folders, of the sessions that were written to of late, and of what lies beside the projects,
 * where a client leaves traces of its work (its history of prompts), so that the next command can tell from them that nothing happened. Nothing is kept while something is being written, or cannot be read.
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
    if (mtimeMs >= started - RECENT_MS) paths.push(path, agent ? dirname(path) : sessionPaths(path).subagentsDir);
  }
  const states = [...new Set(paths)].map((path) => [path, stateOf(path)] as const);
  const isAtRest =
    walk.problems.length === 0 && states.every(([, { mtimeMs }]) => mtimeMs < started - COARSEST_TIME_MS);
  const last: WalkCheckpoint | undefined = isAtRest
    ? {
        at: started,
        withoutTranscript: walk.withoutTranscript,
        states: states.map(([path, { state }]) => [path, state]),
      }
    : undefined;
  writeMeta(db, keyOf(roots), JSON.stringify(last ?? null));
}

/** The projects, and of a client's folder all that lies beside them. */
function listInside(root: string): string[] {
  const projects = projectsDirOf(root);
  const paths = listFolder(root).entries.map(({ path }) => path);
  return paths.includes(projects) ? paths : [projects];
}

/**
 * The last full walk, when it is not older than this and nothing changed where changes are likely since. What that can
 * miss until the next full walk is a change to a session, or to files of its sub-agents, that had rested for days.
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
  return last && isFresh && last.states.every(([path, state]) => stateOf(path).state === state) ? last : undefined;
}

function keyOf(roots: readonly string[]): string {
  return `last walk ${roots.join("\n")}`;
}

function stateOf(path: string): { readonly mtimeMs: number; readonly state: string } {
  const stats = attempt(path, [], () => statSync(path, { throwIfNoEntry: false }));
  return stats
    ? { mtimeMs: stats.mtimeMs, state: `${stats.mtimeMs} ${stats.size} ${stats.ino}` }
    : { mtimeMs: 0, state: "" };
}
