import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BackgroundJob } from "../../format/layout/registry-files.js";
import { listProjectDirs } from "../../format/layout/sessions-of-project.js";
import { type LockedSession, lockedSessions } from "../../store/lock.js";
import { isSuspended } from "../../store/process-identity.js";
import { LIVE_WINDOW_MS } from "../activity.js";
import type { FoundSession } from "../found-session.js";
import type { LoadOptions } from "../load/load-session.js";
import {
  isUnfinished,
  openRunningSessions,
  type RunningClient,
  type RunningSessions,
} from "../running/running-sessions.js";
import { findSessions } from "../sources/find-sessions.js";
import { type Decision, decideState, type ProcessState } from "./decide-state.js";
import { type LiveFacts, LiveFiles } from "./live-files.js";

/** A session that runs, or that ended a moment ago. */
export interface LiveSession extends Decision {
  readonly id: string;
  /** Null while nothing was written. */
  readonly path: string | null;
  /** Where the state comes from: what the process says about itself, or only what was written. */
  readonly source: "registry" | "job" | "chat" | "files";
  readonly process: LiveProcess | null;
  readonly facts: LiveFacts | null;
}

export interface LiveProcess {
  readonly pid: number;
  /** False: on another machine or in another container, or only the number of the process is known. */
  readonly isCertain: boolean;
  readonly kind: "foreground" | "background" | "chat";
  readonly startedAt: number | null;
}

export interface LiveOptions {
  readonly roots: readonly string[];
  readonly dataDir?: string;
  readonly load?: LoadOptions;
  /** Sessions that ended are told for so long. */
  readonly recentMs?: number;
  readonly now?: () => number; // ms since the epoch
}

export interface Live {
  /** What needs a person first, then what works, then what ended. */
  look(): LiveSession[];
  close(): void;
}

const RECENT_MS = 10 * 60_000;
/** Looking through all folders takes longer than looking at the sessions that run. */
const FOLDERS_EVERY_MS = 30_000;

export function openLive(options: LiveOptions): Live {
  return new LiveLibrary(options);
}

/** A session that may be told, before its files are looked at. */
interface Candidate {
  readonly id: string;
  readonly state: ProcessState;
  readonly process: LiveProcess | null;
}

class LiveLibrary implements Live {
  readonly #files = new Map<string, LiveFiles>();
  readonly #options: Required<Omit<LiveOptions, "dataDir">> & Pick<LiveOptions, "dataDir">;
  #found = new Map<string, FoundSession>();
  #foundAt = Number.NEGATIVE_INFINITY;
  readonly #untouched = new Map<string, { readonly writtenAt: number; readonly is: boolean }>();

  constructor({ load = {}, recentMs = RECENT_MS, now = Date.now, ...options }: LiveOptions) {
    this.#options = { ...options, load, recentMs, now };
  }

  look(): LiveSession[] {
    const now = this.#options.now();
    const running = openRunningSessions(this.#options.dataDir);
    const candidates = this.#candidates(running);
    this.#find(candidates, now);
    for (const id of this.#recentlyWritten(running, now)) {
      if (!candidates.has(id)) candidates.set(id, { id, state: NO_PROCESS, process: null });
    }
    const live = [...candidates.values()].flatMap((candidate) => this.#tell(candidate, running, now) ?? []);
    this.#closeAllBut(new Set(live.flatMap(({ path }) => path ?? [])));
    return live.sort(byUrgency);
  }

  close(): void {
    this.#closeAllBut(new Set());
  }

  /** By session: its process, else its job, else that a process of it was killed. */
  #candidates(running: RunningSessions): Map<string, Candidate> {
    const { roots, dataDir, recentMs, now } = this.#options;
    const chats = dataDir === undefined ? [] : lockedSessions(dataDir).map(ofChat);
    const clients = roots.flatMap((root) => running.clientsIn(root)).flatMap(ofClient);
    const isTold = (job: BackgroundJob) => isUnfinished(job) || (job.updatedAt ?? 0) > now() - recentMs;
    const jobs = roots.flatMap((root) => running.jobsIn(root)).filter(isTold);
    const killed = roots.flatMap((root) => running.killedIn(root));
    const candidates = new Map<string, Candidate>();
    const all = [...chats, ...clients, ...jobs.flatMap(ofJob), ...killed.map(({ sessionId }) => ofKilled(sessionId))];
    for (const candidate of all) if (!candidates.has(candidate.id)) candidates.set(candidate.id, candidate);
    return candidates;
  }

  /** Looks through the folders now and then, and when a session that runs was written for the first time. */
  #find(candidates: ReadonlyMap<string, Candidate>, now: number): void {
    const missing = [...candidates.keys()].filter((id) => !this.#found.has(id));
    const { roots } = this.#options;
    if (now - this.#foundAt < FOLDERS_EVERY_MS && !missing.some((id) => hasTranscript(id, roots))) return;
    this.#foundAt = now;
    this.#found = new Map(findSessions(roots).sessions.map((session) => [session.id, session]));
  }

  #recentlyWritten(running: RunningSessions, now: number): string[] {
    const since = now - this.#options.recentMs;
    return [...this.#found.values()].flatMap((session) => {
      const writtenAt = session.mtimeMs > since ? writtenAtOf(session.path) : undefined;
      if (writtenAt === undefined || writtenAt <= since) return [];
      return this.#isUntouched(session.id, writtenAt, running) ? [] : [session.id];
    });
  }

  /** Made by an edit of turnlog and never written to since. Asked once for each state of a file: the answer is in a database. */
  #isUntouched(id: string, writtenAt: number, running: RunningSessions): boolean {
    const known = this.#untouched.get(id);
    if (known?.writtenAt === writtenAt) return known.is;
    const is = running.isMadeByTurnlog(id, writtenAt);
    this.#untouched.set(id, { writtenAt, is });
    return is;
  }

  #tell({ id, state, process }: Candidate, running: RunningSessions, now: number): LiveSession | undefined {
    const found = this.#found.get(id);
    const writtenAt = found && writtenAtOf(found.path);
    const isOver = state.known === "killed" || state.known === "none";
    if (isOver && (writtenAt === undefined || writtenAt <= now - this.#options.recentMs)) return undefined;
    const facts = found && writtenAt !== undefined ? this.#filesOf(found).look(now, writtenAt) : undefined;
    const isGuessed = state.known === "none" && found !== undefined && !running.isRegistered(found);
    const decision = isGuessed ? guessState(facts, now) : decideState(state, facts, now);
    const source = SOURCES[state.known];
    return { ...decision, id, path: found?.path ?? null, source, process, facts: facts ?? null };
  }

  #filesOf(session: FoundSession): LiveFiles {
    const known = this.#files.get(session.path);
    if (known) return known;
    const files = new LiveFiles(session.path, this.#options.load, session.sharedSubagents);
    this.#files.set(session.path, files);
    return files;
  }

  #closeAllBut(paths: ReadonlySet<string>): void {
    for (const [path, files] of this.#files) {
      if (paths.has(path)) continue;
      files.close();
      this.#files.delete(path);
    }
  }
}

const SOURCES = { registry: "registry", killed: "registry", job: "job", chat: "chat", none: "files" } as const;
const NO_PROCESS: ProcessState = { known: "none", status: null, waitingFor: null, since: null, isSuspended: false };

function ofClient(client: RunningClient): Candidate[] {
  const { pid, sessionId, isCertain, clientKind, status, waitingFor, since, startedAt } = client;
  if (sessionId === null) return [];
  const kind = clientKind === null || clientKind === "interactive" ? "foreground" : "background";
  const state = { known: "registry" as const, status, waitingFor, since, isSuspended: isCertain && isSuspended(pid) };
  return [{ id: sessionId, state, process: { pid, isCertain, kind, startedAt } }];
}

function ofChat({ id, pid, waits }: LockedSession): Candidate {
  const asking = waits ? { status: "waiting", waitingFor: waits.waitsFor, since: waits.since } : {};
  const state = { ...NO_PROCESS, ...asking, known: "chat" as const, isSuspended: isSuspended(pid) };
  return { id, state, process: { pid, isCertain: true, kind: "chat", startedAt: null } };
}

function ofJob({ sessionId, state: status, tempo, needs, updatedAt }: BackgroundJob): Candidate[] {
  if (sessionId === null) return [];
  const waitingFor = tempo === "blocked" || status === "blocked" ? (needs ?? "an answer") : null;
  const state = { known: "job" as const, status, waitingFor, since: updatedAt, isSuspended: false };
  return [{ id: sessionId, state, process: null }];
}

const ofKilled = (id: string): Candidate => ({ id, state: { ...NO_PROCESS, known: "killed" }, process: null });

/** Nothing registered its process, so it may still run. That it waits for a person cannot be told. */
function guessState(facts: LiveFacts | undefined, now: number): Decision {
  const isWritten = facts?.isTurnOpen === true && now - facts.writtenAt < LIVE_WINDOW_MS;
  if (!isWritten) return decideState(NO_PROCESS, facts, now);
  return decideState({ ...NO_PROCESS, known: "registry", status: "busy" }, facts, now);
}

/** By its name alone, which costs less than listing all sessions. */
function hasTranscript(id: string, roots: readonly string[]): boolean {
  const folders = roots.flatMap((root) => listProjectDirs(root).projects);
  return folders.some(({ path }) => existsSync(join(path, `${id}.jsonl`)));
}

function writtenAtOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

const ORDER: readonly LiveSession["state"][] = ["waiting", "stuck", "failed", "working", "finished"];

/** A session that waits for its next prompt needs nobody as urgently as one that stands at a question. */
function byUrgency(a: LiveSession, b: LiveSession): number {
  const rank = ({ state, waitsFor }: LiveSession) => ORDER.indexOf(state) + (waitsFor === "prompt" ? 3.5 : 0);
  return rank(a) - rank(b) || (b.since ?? 0) - (a.since ?? 0) || (a.id < b.id ? -1 : 1);
}
