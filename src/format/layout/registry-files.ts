import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject, numberAt, stringAt, tryParseJson } from "../json.js";
import { attempt, type FileProblem } from "./folder-listing.js";
import { isSessionId } from "./session-paths.js";
import { readSmallFile } from "./small-file.js";

/**
 * What a running process of Claude Code says about itself in `sessions/<pid>.json` (2.1.326). The file changes with every
 * state and is removed at a clean exit; `<pid>.<hash>.key` beside it is a secret and is never opened.
 */
export interface RegistryEntry {
  /** By the name of the file. */
  readonly pid: number;
  readonly path: string;
  /** Null where the file cannot be read as an entry: a process of that number may be one of Claude Code all the same. */
  readonly sessionId: string | null;
  /** When the process started, as the system counts it (Linux: field 22 of `/proc/<pid>/stat`). */
  readonly procStart: string | null;
  /** Machine and namespace that the pid belongs to; older versions do not say. */
  readonly pidDomain: string | null;
  /** `busy`, `idle`, `waiting`, `shell`; null in the first moments. */
  readonly status: string | null;
  readonly waitingFor: string | null;
  /** `interactive` (also `-p`), `bg`, `daemon`, `daemon-worker`. */
  readonly kind: string | null;
  readonly name: string | null;
  readonly startedAt: number | null; // ms since the epoch
  readonly statusUpdatedAt: number | null;
}

export interface Registry {
  /** False where no version of Claude Code with a registry has run. */
  readonly isKept: boolean;
  readonly entries: readonly RegistryEntry[];
  readonly problems: readonly FileProblem[];
}

const ENTRY_FILE = /^(\d{1,10})\.json$/;
const MAX_PID = 0xffff_ffff;
const MAX_ENTRY_BYTES = 256 * 1024;

export function readRegistry(configRoot: string): Registry {
  const folder = join(configRoot, "sessions");
  const problems: FileProblem[] = [];
  const names = attempt(folder, problems, () => readdirSync(folder));
  const entries = (names ?? []).flatMap((name) => {
    const pid = Number(ENTRY_FILE.exec(name)?.[1] ?? 0);
    return pid > 0 && pid <= MAX_PID ? (readEntry(join(folder, name), pid, problems) ?? []) : [];
  });
  return { isKept: names !== undefined, entries: entries.sort((a, b) => a.pid - b.pid), problems };
}

/** Undefined: the process ended meanwhile. */
function readEntry(path: string, pid: number, problems: FileProblem[]): RegistryEntry | undefined {
  const before = problems.length;
  const bytes = readSmallFile(path, { maxBytes: MAX_ENTRY_BYTES }, problems);
  if (!bytes && problems.length === before) return undefined;
  const json = tryParseJson(bytes?.toString("utf8") ?? "");
  if (bytes && !isObject(json)) problems.push({ path, reason: "not a JSON object" });
  const sessionId = stringAt(json, "sessionId");
  return {
    pid,
    path,
    sessionId: sessionId !== undefined && isSessionId(sessionId) ? sessionId : null,
    procStart: textOf(json, "procStart"),
    pidDomain: textOf(json, "pidDomain"),
    status: textOf(json, "status"),
    waitingFor: textOf(json, "waitingFor"),
    kind: textOf(json, "kind"),
    name: textOf(json, "name"),
    startedAt: timeOf(json, "startedAt"),
    statusUpdatedAt: timeOf(json, "statusUpdatedAt"),
  };
}

/** A background session in `jobs/<first 8 of its id>/`. */
export interface BackgroundJob {
  readonly id: string;
  readonly folder: string;
  /** The session it runs; null where its `state.json` does not say. */
  readonly sessionId: string | null;
  /** `starting`, `running`, `working`, `resuming`, `adopted`, `blocked`; ended: `stopped`, `done`, `failed`, `crashed`. */
  readonly state: string | null;
  readonly tempo: string | null;
  /** What it waits for, in words. */
  readonly needs: string | null;
  readonly updatedAt: number | null; // ms since the epoch
  /** The session that it was forked from; `parent-transcript.jsonl` in its folder is a copy of that conversation. */
  readonly forkParentSessionId: string | null;
  /** The path of the transcript that Claude Code looks at for links. */
  readonly linkScanPath: string | null;
}

const MAX_STATE_BYTES = 4 * 1024 * 1024;

/** The jobs of a configuration folder, by id. Only real folders with a name of eight hex digits are jobs. */
export function readJobs(configRoot: string, problems: FileProblem[] = []): BackgroundJob[] {
  const folder = join(configRoot, "jobs");
  const names = attempt(folder, problems, () => readdirSync(folder)) ?? [];
  return names
    .filter((name) => /^[0-9a-f]{8}$/.test(name) && isRealFolder(join(folder, name)))
    .sort()
    .map((id) => readJob(join(folder, id), id, problems));
}

function readJob(folder: string, id: string, problems: FileProblem[]): BackgroundJob {
  const bytes = readSmallFile(join(folder, "state.json"), { maxBytes: MAX_STATE_BYTES }, problems);
  const json = tryParseJson(bytes?.toString("utf8") ?? "");
  const updatedAt = Date.parse(stringAt(json, "updatedAt") ?? "");
  return {
    id,
    folder,
    sessionId: sessionIdAt(json, "sessionId") ?? sessionIdAt(json, "resumeSessionId"),
    state: textOf(json, "state"),
    tempo: textOf(json, "tempo"),
    needs: textOf(json, "needs"),
    updatedAt: Number.isNaN(updatedAt) ? null : updatedAt,
    forkParentSessionId: sessionIdAt(json, "forkParentSessionId"),
    linkScanPath: stringAt(json, "linkScanPath") ?? null,
  };
}

/** Whether a job is that of a session. Without a readable `state.json` the folder's name decides. */
export function isJobOf(job: BackgroundJob, sessionId: string): boolean {
  return job.sessionId === null ? sessionId.startsWith(job.id) : job.sessionId === sessionId;
}

export function isRealFolder(path: string): boolean {
  return attempt(path, [], () => lstatSync(path).isDirectory()) ?? false;
}

function sessionIdAt(json: unknown, key: string): string | null {
  const id = stringAt(json, key);
  return id !== undefined && isSessionId(id) ? id : null;
}

const MAX_TIME = 8.64e15; // the last moment that a Date can hold

function timeOf(json: unknown, key: keyof RegistryEntry): number | null {
  const time = numberAt(json, key);
  return time !== undefined && Math.abs(time) <= MAX_TIME ? time : null;
}

const MAX_TEXT = 500;

/** These texts are shown to people. */
function textOf(json: unknown, key: keyof RegistryEntry | keyof BackgroundJob): string | null {
  return stringAt(json as JsonObject, key)?.slice(0, MAX_TEXT) ?? null;
}
