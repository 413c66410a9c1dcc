import { statSync } from "node:fs";
import { listAt } from "../../collections.js";
import type { FoundSession } from "../../library/found-session.js";
import { type CopyRelation, compareCopies } from "../../library/machines/compare-copies.js";
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
  readonly alsoHere: Readonly<Record<CopyRelation, number>>;
}

export interface SyncedProject {
  /** Null where the folder on the other machine has no git remote: then its path is all that names it. */
  readonly remote: string | null;
  readonly path: string | null;
  readonly sessions: number;
}

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
    if (here) alsoHere[compareCopies(here.path, found.path)] += 1;
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
