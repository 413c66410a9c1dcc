import { attempt } from "../../format/layout/folder-listing.js";
import {
  type BackgroundJob,
  isJobOf,
  type RegistryEntry,
  readJobs,
  readRegistry,
} from "../../format/layout/registry-files.js";
import { readEdge } from "../../format/layout/small-file.js";
import { isSessionLocked } from "../../store/lock.js";
import { isAlive, ownPidDomain } from "../../store/process-identity.js";
import { readLineage } from "../../store/user-db.js";
import { LIVE_WINDOW_MS } from "../activity.js";
import type { FoundSession } from "../found-session.js";

/** A process of Claude Code that runs, or may run where its processes cannot be seen from here. */
export interface RunningClient {
  readonly pid: number;
  /** Null: its entry in the registry cannot be read. */
  readonly sessionId: string | null;
  /** False: on another machine or in another container, or only the number of the process is known. */
  readonly isCertain: boolean;
  /** `interactive` (also `-p`), `bg`, `daemon`, `daemon-worker`. */
  readonly clientKind: string | null;
  readonly status: string | null;
  readonly waitingFor: string | null;
  readonly since: number | null; // of the status, ms since the epoch
  readonly startedAt: number | null;
}

/** A process that ended without removing its entry. */
export interface KilledClient {
  readonly pid: number;
  readonly sessionId: string;
}

/** Why a session counts as in use. */
export type SessionActivity =
  | ({ readonly kind: "client" } & RunningClient)
  | { readonly kind: "job"; readonly jobId: string; readonly needs: string | null; readonly since: number | null }
  | { readonly kind: "chat" }
  /** Written within `LIVE_WINDOW_MS`, by a version of Claude Code that keeps no registry. */
  | { readonly kind: "recent" };

/** Asks each configuration folder once. */
export interface RunningSessions {
  /** Certain ones first. */
  clientsIn(root: string): readonly RunningClient[];
  killedIn(root: string): readonly KilledClient[];
  jobsIn(root: string): readonly BackgroundJob[];
  /** Whether a version of Claude Code wrote the session that registers its processes. */
  isRegistered(session: Pick<FoundSession, "root" | "path">): boolean;
  /** turnlog made the session, and nobody has written to it since. */
  isMadeByTurnlog(id: string, writtenAt: number): boolean;
  /** A process or job that works on the session; of several processes the first. */
  find(session: Pick<FoundSession, "id" | "root">): SessionActivity | undefined;
  /** The same; where the registry cannot tell, also a session that was just written. `writtenAt`: its latest file. */
  findOrGuess(session: Pick<FoundSession, "id" | "root" | "path">, writtenAt: number): SessionActivity | undefined;
}

/** `dataDir`: to notice a chat of turnlog itself, and sessions that turnlog made and nobody has written to since. */
export function openRunningSessions(dataDir?: string): RunningSessions {
  let made: ReadonlyMap<string, number> | undefined;
  const isAsMade = (id: string, writtenAt: number) => {
    made ??= new Map(readLineage(dataDir ?? "").map(({ session, at }) => [session, Date.parse(at)]));
    return dataDir !== undefined && Math.floor(writtenAt) <= (made.get(id) ?? 0);
  };
  const known = new Map<string, RunningRoot>();
  const rootOf = (root: string) => {
    const read = known.get(root) ?? readRunning(root);
    known.set(root, read);
    return read;
  };
  const isRegistered: RunningSessions["isRegistered"] = ({ root, path }) =>
    rootOf(root).isKept && isWrittenWithRegistry(path);
  const find: RunningSessions["find"] = ({ id, root }) => {
    if (dataDir !== undefined && isSessionLocked(dataDir, id)) return { kind: "chat" };
    const { clients, jobs } = rootOf(root);
    const client = clients.get(id);
    if (client) return { kind: "client", ...client };
    const job = jobs.find((one) => isJobOf(one, id) && isUnfinished(one));
    return job && { kind: "job", jobId: job.id, needs: job.needs, since: job.updatedAt };
  };
  return {
    clientsIn: (root) => rootOf(root).all,
    killedIn: (root) => rootOf(root).killed,
    jobsIn: (root) => rootOf(root).jobs,
    isRegistered,
    isMadeByTurnlog: isAsMade,
    find,
    findOrGuess: (session, writtenAt) => {
      const activity = find(session);
      if (activity || writtenAt <= Date.now() - LIVE_WINDOW_MS || isAsMade(session.id, writtenAt)) return activity;
      return isRegistered(session) ? undefined : { kind: "recent" };
    },
  };
}

/**
 * A session with a record after this time (ms since the epoch) may still be written: every one while something works on it, none
 * where the registry knows that nothing does.
 */
export function liveSince(running: RunningSessions, session: Pick<FoundSession, "id" | "root" | "path">): number {
  const now = Date.now();
  const activity = running.findOrGuess(session, now);
  if (!activity) return Number.POSITIVE_INFINITY;
  return activity.kind === "recent" ? now - LIVE_WINDOW_MS : 0;
}

interface RunningRoot {
  readonly isKept: boolean;
  readonly all: readonly RunningClient[];
  readonly killed: readonly KilledClient[];
  readonly clients: ReadonlyMap<string, RunningClient>; // by session
  readonly jobs: readonly BackgroundJob[];
}

function readRunning(root: string): RunningRoot {
  const { isKept, entries } = readRegistry(root);
  const all = entries
    .flatMap((entry) => toClient(entry) ?? [])
    .sort((a, b) => Number(b.isCertain) - Number(a.isCertain));
  const clients = new Map<string, RunningClient>();
  for (const client of all) {
    if (client.sessionId !== null && !clients.has(client.sessionId)) clients.set(client.sessionId, client);
  }
  const killed = entries.flatMap((entry) => {
    const { pid, sessionId } = entry;
    return sessionId !== null && isOurs(entry.pidDomain) && !toClient(entry) ? [{ pid, sessionId }] : [];
  });
  return { isKept, all, killed, clients, jobs: readJobs(root) };
}

/** A process that was killed leaves its entry; a number of another machine or container means nothing here. */
function toClient(entry: RegistryEntry): RunningClient | undefined {
  const { pid, sessionId, kind, status, waitingFor, startedAt } = entry;
  const isHere = isAlive(pid, process.platform === "linux" ? (entry.procStart ?? "") : "");
  if (!isHere && isOurs(entry.pidDomain)) return undefined;
  const isCertain = isHere && sessionId !== null;
  const since = entry.statusUpdatedAt ?? startedAt;
  return { pid, sessionId, isCertain, clientKind: kind, status, waitingFor, since, startedAt };
}

/** An entry that names no domain is of an older version: then of this machine, as far as anybody can tell. */
function isOurs(domain: string | null): boolean {
  if (domain === null) return true;
  if (process.platform !== "linux") return !domain.startsWith("linux:");
  return domain === ownPidDomain();
}

/** What stopped by itself or was stopped; the daemon starts every other job again. */
const FINISHED = new Set(["stopped", "done", "failed", "crashed"]);

export function isUnfinished({ state }: BackgroundJob): boolean {
  return state !== null && !FINISHED.has(state);
}

/** The oldest version whose registry was seen to name all its sessions, those of `-p` included. */
const REGISTRY_SINCE = [2, 1, 326];
const TAIL_BYTES = 64 * 1024;

function isWrittenWithRegistry(path: string): boolean {
  const versions = [
    ...(attempt(path, [], () => readEdge(path, "tail", TAIL_BYTES)) ?? "").matchAll(
      /"version":\s*"(\d+)\.(\d+)\.(\d+)/g,
    ),
  ];
  const version = versions.at(-1)?.slice(1).map(Number);
  if (!version) return false;
  const at = version.findIndex((part, index) => part !== REGISTRY_SINCE[index]);
  return at === -1 || (version[at] ?? 0) > (REGISTRY_SINCE[at] ?? 0);
}
