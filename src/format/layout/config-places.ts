import { lstatSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listAt } from "../../collections.js";
import { once } from "../../lazy.js";
import { attempt } from "./folder-listing.js";
import { isJobOf, isRealFolder, readJobs } from "./registry-files.js";
import { isSessionId } from "./session-paths.js";

/**
 * Where files of a session lie. `project` is its project folder, `temp` a folder outside of the configuration folder; every
 * other place is the folder of that name in the configuration folder.
 */
export type SessionPlace =
  | "project"
  | "file-history"
  | "tasks"
  | "todos"
  | "session-env"
  | "debug"
  | "image-cache"
  | "uploads"
  | "dev-mods"
  | "dump-prompts"
  | "usage-data"
  | "jobs"
  | "temp";

export interface PlacedPath {
  readonly place: SessionPlace;
  readonly path: string;
}

/** What belongs to one session outside of its project folder and its backups, by the names of files and folders. */
export interface ConfigPlaces {
  pathsOf(sessionId: string): PlacedPath[];
}

/**
 * For many sessions of one configuration folder: folders that must be searched are listed once. `tasks/` is by session id
 * only without CLAUDE_CODE_TASK_LIST_ID and teams, whose task lists are shared and stay.
 */
export function findConfigPlaces(configRoot: string, tempDir: string | null = clientTempDir()): ConfigPlaces {
  const todos = once(() => groupTodos(join(configRoot, "todos")));
  const jobs = once(() => readJobs(configRoot));
  const tempFolders = once(() => (tempDir === null ? [] : foldersIn(tempDir)));
  return {
    pathsOf: (id) => {
      if (!isSessionId(id)) return [];
      const named = NAMED.map(({ place, below }) => ({ place, path: join(configRoot, place, ...below(id)) }));
      const listed: PlacedPath[] = [
        ...(todos().get(id) ?? []).map((path) => ({ place: "todos" as const, path })),
        ...jobs().flatMap((job) => (isJobOf(job, id) ? [{ place: "jobs" as const, path: job.folder }] : [])),
        ...tempFolders().map((folder) => ({ place: "temp" as const, path: join(folder, id) })),
      ];
      return [...named, ...listed].filter(({ path }) => isThere(path));
    },
  };
}

/** Seen in 2.1.326, except `dump-prompts` and `dev-mods`, whose names are in its program. */
const NAMED: readonly { readonly place: SessionPlace; readonly below: (id: string) => readonly string[] }[] = [
  { place: "tasks", below: (id) => [id] },
  { place: "session-env", below: (id) => [id] },
  { place: "debug", below: (id) => [`${id}.txt`] },
  { place: "image-cache", below: (id) => [id] },
  { place: "uploads", below: (id) => [id] },
  { place: "dev-mods", below: (id) => [id] },
  { place: "dump-prompts", below: (id) => [`${id}.jsonl`] },
  { place: "usage-data", below: (id) => ["facets", `${id}.json`] },
  { place: "usage-data", below: (id) => ["session-meta", `${id}.json`] },
];

/**
 * Places with content that a person may want back. The others hold the state of processes (environment, logs, what a daemon
 * would start again) and can hold secrets: they are deleted with a session, but not archived.
 */
export const ARCHIVED_PLACES: ReadonlySet<SessionPlace> = new Set([
  "project",
  "file-history",
  "tasks",
  "todos",
  "image-cache",
  "uploads",
]);

/** `todos/<session>-agent-<agent>.json`, written up to 2.1.45. */
function groupTodos(folder: string): ReadonlyMap<string, string[]> {
  const bySession = new Map<string, string[]>();
  for (const name of attempt(folder, [], () => readdirSync(folder))?.sort() ?? []) {
    const id = /^(.{36})-agent-.+\.json$/s.exec(name)?.[1];
    if (id !== undefined) listAt(bySession, id).push(join(folder, name));
  }
  return bySession;
}

/** Where Claude Code keeps the output of background commands, by project and session. Null where it cannot be told. */
function clientTempDir(env = process.env): string | null {
  const base = env["CLAUDE_CODE_TMPDIR"] || undefined;
  if (process.platform === "win32") return join(base ?? tmpdir(), "claude");
  const uid = process.getuid?.();
  return uid === undefined ? null : join(base ?? "/tmp", `claude-${uid}`);
}

/** Anybody may create names in `/tmp`: only folders of our own count, never links. */
function foldersIn(tempDir: string): string[] {
  if (!isOwnFolder(tempDir)) return [];
  const names = attempt(tempDir, [], () => readdirSync(tempDir)) ?? [];
  return names
    .sort()
    .map((name) => join(tempDir, name))
    .filter(isOwnFolder);
}

function isOwnFolder(path: string): boolean {
  const uid = process.getuid?.();
  return isRealFolder(path) && (uid === undefined || lstatSync(path).uid === uid);
}

function isThere(path: string): boolean {
  return attempt(path, [], () => lstatSync(path)) !== undefined;
}
