import { hash, randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { readIfReadable } from "../../errors.js";
import { isObject, tryParseJson } from "../../format/json.js";
import { attempt } from "../../format/layout/folder-listing.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { makeFolder } from "../../store/make-folder.js";

/*
 * What this machine knows of its shared folders, below `sync/` of the data folder: for each folder its settings and identity, how far
 * each session was sent, and a cache with the sessions of each other machine in the layout of Claude Code's folder.
 */

/** This machine in one shared folder. It has another identity in every folder. */
export interface Membership {
  readonly folder: string;
  readonly machine: string;
  readonly name: string;
  readonly redact: boolean;
  readonly encrypted: boolean;
  readonly passphraseFile: string | null;
  /** Something was written to the folder: if it is not there any more, the folder is not the one it was. */
  readonly hasJoined: boolean;
  /** The name in the folder is this one, encrypted if everything is. */
  readonly isAnnounced: boolean;
  /** Machines whose sessions are not wanted. */
  readonly forgotten: readonly string[];
}

/** Where the facts of a membership lie. */
export interface MembershipPlace {
  /** Below the data folder. */
  readonly path: string;
  readonly lock: string;
}

const SETTINGS = "folder.json";
const MACHINES = "machines";
const SENT = "sent";

export function placeOf(dataDir: string, folder: string): MembershipPlace {
  const name = hash("sha256", resolve(folder)).slice(0, 16);
  return { path: join(dataDir, "sync", name), lock: join(dataDir, "locks", `sync-${name}.lock`) };
}

export function newMembership(
  folder: string,
  settings: Omit<Membership, "folder" | "machine" | "hasJoined" | "isAnnounced" | "forgotten">,
): Membership {
  const machine = randomBytes(8).toString("hex");
  return { folder: resolve(folder), machine, hasJoined: false, isAnnounced: false, forgotten: [], ...settings };
}

export function readMembership(place: string): Membership | undefined {
  const json = tryParseJson(readIfReadable(join(place, SETTINGS)) ?? "");
  return isMembership(json) ? json : undefined;
}

function isMembership(json: unknown): json is Membership {
  if (!isObject(json)) return false;
  const { folder, machine, name, redact, encrypted, passphraseFile, hasJoined, isAnnounced, forgotten } =
    json as Partial<Membership>;
  return (
    [folder, machine, name].every((text) => typeof text === "string") &&
    isMachineId(machine ?? "") &&
    [redact, encrypted, hasJoined, isAnnounced].every((flag) => typeof flag === "boolean") &&
    Array.isArray(forgotten) &&
    (passphraseFile === null || typeof passphraseFile === "string")
  );
}

export function writeMembership(dataDir: string, place: string, membership: Membership): void {
  ensureDataDir(dataDir, "sync");
  makeFolder(place);
  atomicWrite(join(place, SETTINGS), `${JSON.stringify(membership, undefined, 2)}\n`);
}

/** The settings first: what is left of the rest is then nobody's. */
export function removeMembership(place: string): void {
  rmSync(join(place, SETTINGS), { force: true });
  rmSync(place, { recursive: true, force: true });
}

export function listMemberships(dataDir: string): { readonly place: string; readonly membership: Membership }[] {
  const folder = join(dataDir, "sync");
  return namesIn(folder).flatMap((name) => {
    const place = join(folder, name);
    const membership = readMembership(place);
    return membership ? [{ place, membership }] : [];
  });
}

/** 64 random bits. */
export function isMachineId(name: string): boolean {
  return /^[0-9a-f]{16}$/.test(name);
}

/** The state of a session that is sent. */
export function sentFile(place: string, key: string): string {
  return join(place, SENT, `${key}.json`);
}

export function listSent(place: string): string[] {
  return namesIn(join(place, SENT)).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : []));
}

/** What is kept of another machine. */
export interface MachineCache {
  readonly machine: string;
  readonly path: string;
  /** In the layout of Claude Code's folder. */
  readonly root: string;
  readonly about: string;
  readonly marks: string;
  readonly sessions: string;
}

export function cacheOf(place: string, machine: string): MachineCache {
  const path = join(place, MACHINES, machine);
  return {
    machine,
    path,
    root: join(path, "claude"),
    about: join(path, "machine.json"),
    marks: join(path, "marks.json"),
    sessions: join(path, "received"),
  };
}

export function listCaches(place: string): MachineCache[] {
  return namesIn(join(place, MACHINES))
    .filter(isMachineId)
    .map((machine) => cacheOf(place, machine));
}

function namesIn(folder: string): string[] {
  return (attempt(folder, [], () => readdirSync(folder)) ?? []).sort();
}
