import { closeSync, readSync, statSync } from "node:fs";
import { listAt } from "../../collections.js";
import { openRegular } from "../../format/identity/file-identity.js";
import type { FoundSession } from "../../library/found-session.js";
import type { CachedMachine } from "../../library/machines/machine-sources.js";
import { listMemberships, listSent, type Membership } from "../../library/machines/memberships.js";
import { listReceivedKeys, type RefusedPart, readReceivedOf } from "../../library/machines/receive.js";
import type { ReceivedSession } from "../../library/machines/received-session.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { formatCount } from "../../render/format-values.js";
import type { Check } from "../check-store.js";
import { ownRoots, type RootOptions } from "../session-roots.js";
import { dataFolderOf, type Environment } from "../settings.js";
import { cachedMachines } from "./sync.js";

/** A folder that this machine syncs with. */
export interface SyncedFolder {
  readonly folder: string;
  /** Of this machine. */
  readonly name: string;
  readonly machine: string;
  readonly redact: boolean;
  readonly encrypted: boolean;
  readonly isAvailable: boolean;
  /** Sessions that this machine has sent. */
  readonly sent: number;
  readonly machines: readonly SyncedMachine[];
}

export interface SyncedMachine {
  readonly name: string;
  readonly machine: string;
  readonly sessions: number;
  readonly projects: readonly SyncedProject[];
  /** Files that have not arrived as a whole, or need others that have not. */
  readonly waiting: number;
  readonly refused: readonly RefusedPart[];
  /** Sessions that are here as well, by what differs. */
  readonly alsoHere: Readonly<Record<Relation, number>>;
}

export interface SyncedProject {
  /** Null where the folder on the other machine has no git remote: then its path is all that names it. */
  readonly remote: string | null;
  readonly path: string | null;
  readonly sessions: number;
}

/** `ahead`: the other machine has more. `fork`: both went on. */
type Relation = "same" | "ahead" | "behind" | "fork";

export async function syncStatus(options: RootOptions, environment: Environment): Promise<SyncedFolder[]> {
  const caches = await cachedMachines(environment);
  const own = new Map(findSessions(await ownRoots(environment, options)).sessions.map((found) => [found.id, found]));
  return listMemberships(dataFolderOf(environment)).map(({ place, membership }) => ({
    folder: membership.folder,
    name: membership.name,
    machine: membership.machine,
    redact: membership.redact,
    encrypted: membership.encrypted,
    isAvailable: isFolder(membership),
    sent: listSent(place).length,
    machines: caches.filter((cached) => cached.place === place).map((cached) => describeMachine(cached, own)),
  }));
}

function isFolder({ folder }: Membership): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // a drive that does not answer
  }
}

function describeMachine({ name, cache }: CachedMachine, own: ReadonlyMap<string, FoundSession>): SyncedMachine {
  const received = listReceivedKeys(cache).map((key) => readReceivedOf(cache, key));
  const sessions = received.filter(({ about, streams }) => about && !about.withdrawn && streams.size > 0);
  const alsoHere = { same: 0, ahead: 0, behind: 0, fork: 0 };
  for (const found of findSessions([cache.root]).sessions) {
    const here = own.get(found.id);
    if (here) alsoHere[relationOf(here.path, found.path)] += 1;
  }
  return {
    name,
    machine: cache.machine,
    sessions: sessions.length,
    projects: groupProjects(sessions),
    waiting: received.reduce((sum, { waiting }) => sum + waiting, 0),
    refused: received.flatMap(({ refused }) => refused.map(({ reason }) => ({ machine: name, session: null, reason }))),
    alsoHere,
  };
}

function groupProjects(sessions: readonly ReceivedSession[]): SyncedProject[] {
  const groups = new Map<string, ReceivedSession[]>();
  for (const session of sessions) listAt(groups, session.about?.remote ?? `path ${session.about?.cwd}`).push(session);
  const projects = [...groups.values()].map((group) => ({
    remote: group[0]?.about?.remote ?? null,
    path: group[0]?.about?.cwd ?? null,
    sessions: group.length,
  }));
  return projects.sort((a, b) => b.sessions - a.sessions);
}

const COMPARED_BYTES = 256 * 1024;

/** By their bytes, up to where the shorter one ends. */
function relationOf(here: string, there: string): Relation {
  const [a, b] = [openRegular(here), openRegular(there)];
  try {
    if (a === undefined || b === undefined) return "fork";
    const buffers = [Buffer.alloc(COMPARED_BYTES), Buffer.alloc(COMPARED_BYTES)] as const;
    for (let at = 0; ; at += COMPARED_BYTES) {
      const [x, y] = [readSync(a, buffers[0], 0, COMPARED_BYTES, at), readSync(b, buffers[1], 0, COMPARED_BYTES, at)];
      const shorter = Math.min(x, y);
      if (!buffers[0].subarray(0, shorter).equals(buffers[1].subarray(0, shorter))) return "fork";
      if (x !== y) return x < y ? "ahead" : "behind";
      if (x === 0) return "same";
    }
  } finally {
    for (const file of [a, b]) if (file !== undefined) closeSync(file);
  }
}

/** For `doctor`: only where something is synced. */
export async function checkSync(environment: Environment, options: RootOptions): Promise<Check[]> {
  if (listMemberships(dataFolderOf(environment)).length === 0) return []; // what is damaged stays as it is
  return (await syncStatus(options, environment)).map(({ folder, isAvailable, machines, sent }) => {
    const name = "sync";
    const hint = "mount it; until then the sessions of other machines are as they were";
    if (!isAvailable) return { name, state: "warning", found: `${folder} is not available`, hint };
    const names = machines.map((machine) => machine.name).join(", ");
    const found = `${folder}: ${formatCount(sent, "session")} sent; ${names === "" ? "no other machine yet" : `from ${names}`}`;
    const refused = machines.reduce((sum, machine) => sum + machine.refused.length, 0);
    if (refused === 0) return { name, state: "ok", found };
    return {
      name,
      state: "warning",
      found,
      hint: `${formatCount(refused, "file")} refused: see \`turnlog sync status\``,
    };
  });
}
