import { existsSync } from "node:fs";
import { sep } from "node:path";
import { projectsDirOf } from "../../format/layout/session-paths.js";
import type { SessionMarks } from "../../store/user-db.js";
import { readCachedName, readReceivedMarks } from "./cached-facts.js";
import { listCaches, listMemberships, type MachineCache, type Membership } from "./memberships.js";

/** A machine whose sessions are in the cache. */
export interface CachedMachine {
  /** Its own name, made different from those of other machines and sources. */
  readonly name: string;
  readonly membership: Membership;
  readonly place: string;
  readonly cache: MachineCache;
}

export function listCachedMachines(dataDir: string, taken: Iterable<string> = []): CachedMachine[] {
  const names = new Set([...taken].map((name) => name.toLowerCase()));
  return listMemberships(dataDir).flatMap(({ place, membership }) =>
    listCaches(place).map((cache) => {
      const own = readCachedName(cache);
      const name = names.has(own.toLowerCase()) ? `${own} (${cache.machine.slice(0, 6)})` : own;
      names.add(name.toLowerCase());
      return { name, membership, place, cache };
    }),
  );
}

/** The folders with sessions of other machines, and the names of these. */
export function machineRoots(dataDir: string, taken: Iterable<string>): ReadonlyMap<string, string> {
  const machines = listCachedMachines(dataDir, taken).filter(({ cache }) => existsSync(projectsDirOf(cache.root)));
  return new Map(machines.map(({ cache, name }) => [cache.root, name]));
}

/** Whether a session was received from another machine. */
export function isInCache(dataDir: string, path: string): boolean {
  return listMemberships(dataDir).some(({ place }) => path.startsWith(place + sep));
}

/** Titles, tags and notes with those that were made on other machines; of two for one session, the own ones. */
export function withReceivedMarks(
  dataDir: string,
  own: ReadonlyMap<string, SessionMarks>,
): ReadonlyMap<string, SessionMarks> {
  const received = listMemberships(dataDir).flatMap(({ place }) => listCaches(place).flatMap(readReceivedMarks));
  return received.length === 0 ? own : new Map([...received, ...own]);
}
