import { readdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../../errors.js";
import { stringAt, tryParseJson } from "../../format/json.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { readSmallFile } from "../../format/layout/small-file.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { makeFolder } from "../../store/make-folder.js";
import type { Passphrase } from "../../store/sealed-file.js";
import { readCachedName } from "./cached-facts.js";
import { cacheOf, type MachineCache, type Membership } from "./memberships.js";
import { type Incoming, receivedFile, receiveSession } from "./receive-session.js";
import { type ReceivedSession, readReceived } from "./received-session.js";
import { BadSegment, type SessionAbout, unsealed } from "./segment.js";
import { listKeys, listMachines, machineFile } from "./shared-folder.js";
import { parseKey } from "./streams.js";

/** What one sync brought of another machine. */
export interface ReceivedMachine {
  readonly machine: string;
  readonly name: string;
  /** Sessions with something new. */
  readonly sessions: number;
  readonly bytes: number;
  /** Files that have not arrived as a whole, or need others that have not. */
  readonly waiting: number;
  readonly refused: readonly RefusedPart[];
}

export interface RefusedPart {
  readonly machine: string;
  readonly session: string | null;
  readonly reason: string;
}

/** How this machine reads a shared folder. */
export interface Receiving {
  readonly place: string;
  readonly membership: Membership;
  readonly passphrase: Passphrase | undefined;
  readonly problems: FileProblem[];
}

/** Brings the cache of every other machine up to date. What is wrong with one of them or with one session stops no other. */
export async function receiveAll(receiving: Receiving): Promise<ReceivedMachine[]> {
  const { folder, machine: own, forgotten } = receiving.membership;
  const machines: ReceivedMachine[] = [];
  for (const machine of listMachines(folder, receiving.problems)) {
    if (machine !== own && !forgotten.includes(machine)) machines.push(await receiveMachine(receiving, machine));
  }
  return machines;
}

async function receiveMachine(receiving: Receiving, machine: string): Promise<ReceivedMachine> {
  const { place, membership, passphrase, problems } = receiving;
  const cache = cacheOf(place, machine);
  const name = await readName(receiving, cache);
  if (typeof name !== "string") return { ...NOTHING, machine, name: readCachedName(cache), ...name };
  const incoming: Incoming = { folder: membership.folder, cache, passphrase, problems };
  const total = { sessions: 0, bytes: 0, waiting: 0 };
  const refused: RefusedPart[] = [];
  let hasNewFacts = false;
  for (const key of listKeys(membership.folder, machine, problems)) {
    const session = parseKey(key);
    if (!session) continue;
    const news = await receiveSession(incoming, session);
    total.sessions += news.bytes > 0 ? 1 : 0;
    total.bytes += news.bytes;
    total.waiting += news.session.waiting;
    hasNewFacts ||= news.hasNewFacts;
    const [first] = news.session.refused;
    if (first) refused.push({ machine: name, session: session.id, reason: first.reason });
  }
  if (hasNewFacts) writeMarks(cache, listKeys(membership.folder, machine, problems));
  return { machine, name, ...total, refused };
}

const NOTHING = { sessions: 0, bytes: 0, waiting: 0, refused: [] };
const MAX_MACHINE_FILE_BYTES = 64 * 1024;

/** The machine's name from the shared folder; why there is none otherwise. */
async function readName(
  { membership: { folder }, passphrase, problems }: Receiving,
  cache: MachineCache,
): Promise<string | Pick<ReceivedMachine, "waiting" | "refused">> {
  const { machine } = cache;
  const refused = (reason: string) => ({
    waiting: 0,
    refused: [{ machine: readCachedName(cache), session: null, reason }],
  });
  try {
    const bytes = readSmallFile(machineFile(folder, machine), { maxBytes: MAX_MACHINE_FILE_BYTES }, problems);
    if (!bytes || bytes.length === 0) return { waiting: 1, refused: [] };
    const json = tryParseJson((await unsealed(bytes, passphrase)).toString("utf8"));
    const name = plainName(stringAt(json, "name") ?? "");
    if (stringAt(json, "machine") !== machine || name === "") return { waiting: 1, refused: [] };
    if (readCachedName(cache) !== name) writeCachedName(cache, name);
    return name;
  } catch (error) {
    if (error instanceof BadSegment) return refused(error.message);
    if (error instanceof UserError) return refused(`${error.message} (its passphrase may be another one)`);
    throw error;
  }
}

const MAX_NAME = 64;

/** One line without controls, as a source's name. */
export function plainName(text: string): string {
  return [...text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim()].slice(0, MAX_NAME).join("").trim();
}

function writeCachedName({ about, machine }: MachineCache, name: string): void {
  makeFolder(dirname(about));
  atomicWrite(about, JSON.stringify({ machine, name }), { durable: false });
}

/** The titles, tags and notes of a machine in one file: every command reads it. */
function writeMarks(cache: MachineCache, keys: readonly string[]): void {
  const marks = keys.flatMap((key) => {
    const about = readReceived(receivedFile(cache, key)).about;
    return about?.marks && !about.withdrawn ? [[key.slice(0, ID_LENGTH), about.marks] as const] : [];
  });
  makeFolder(dirname(cache.marks));
  atomicWrite(cache.marks, JSON.stringify(marks), { durable: false });
}

const ID_LENGTH = 36;

/** Sessions of a machine of which something was received. */
export function listReceivedKeys({ sessions }: MachineCache): string[] {
  const names = attempt(sessions, [], () => readdirSync(sessions)) ?? [];
  return names.flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : [])).sort();
}

/** What a machine said of one of its sessions. */
export function readAbout(cache: MachineCache, path: string): SessionAbout | undefined {
  const { id, projectDir } = sessionPaths(path);
  const keys = listReceivedKeys(cache).filter((key) => key.startsWith(id));
  const mark = keys.find((key) => projectDir.endsWith(`-${key.slice(ID_LENGTH + 1)}`) && key.length > ID_LENGTH);
  return readReceivedOf(cache, mark ?? id).about ?? undefined;
}

export function readReceivedOf(cache: MachineCache, key: string): ReceivedSession {
  return readReceived(receivedFile(cache, key));
}

export function removeCache(cache: MachineCache): void {
  rmSync(cache.path, { recursive: true, force: true });
}
