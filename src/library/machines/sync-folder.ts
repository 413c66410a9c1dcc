import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../../errors.js";
import { projectIdentity } from "../../format/git/git-remotes.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { isSessionId, projectSlug } from "../../format/layout/session-paths.js";
import { readRecords } from "../../format/reader/record-reader.js";
import { homeFolder } from "../../own-user.js";
import { acquireLock, type Lock } from "../../store/lock.js";
import { makeFolder } from "../../store/make-folder.js";
import type { Passphrase } from "../../store/sealed-file.js";
import type { SessionMarks } from "../../store/user-db.js";
import type { FoundSession } from "../found-session.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { listSent, type Membership, type MembershipPlace, writeMembership } from "./memberships.js";
import { ownKeys } from "./own-keys.js";
import { type Outgoing, type OwnSession, publishSession, withdrawSession } from "./publish-session.js";
import { type ReceivedMachine, receiveAll } from "./receive.js";
import { type SessionAbout, sealed, unsealed } from "./segment.js";
import { listKeys, machineFile, requireFolder, writeShared } from "./shared-folder.js";
import type { StreamRedactor } from "./stream-content.js";

/*
 * One sync of a shared folder, under a lock of this machine. First everything that arrived from others is written into the cache, which
 * works with a folder that can only be read; then what is new here is written into this machine's own part of the folder.
 */

export interface SyncInput {
  readonly dataDir: string;
  readonly place: MembershipPlace;
  readonly membership: Membership;
  readonly passphrase: Passphrase | undefined;
  readonly redactor: StreamRedactor | undefined;
  /** All sessions of this machine itself. */
  readonly sessions: readonly FoundSession[];
  readonly marks: ReadonlyMap<string, SessionMarks>;
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

export interface SyncResult {
  readonly sent: {
    readonly sessions: number;
    readonly segments: number;
    readonly bytes: number;
    /** False: this machine's part has files that were not sent from here. */
    readonly isAlone: boolean;
  };
  readonly received: readonly ReceivedMachine[];
  readonly problems: readonly FileProblem[];
  /** Why nothing more could be sent; what was received counts. */
  readonly stopped: UserError | null;
}

export async function syncFolder(input: SyncInput): Promise<SyncResult> {
  const lock = await lockMembership(input.place);
  try {
    const { membership, passphrase, place } = input;
    requireFolder(membership.folder);
    refuseEmptied(membership);
    await refuseOtherPassphrase(membership, passphrase);
    const problems: FileProblem[] = [];
    const received = await receiveAll({ place: place.path, membership, passphrase, problems });
    const sent: Sent = { sessions: 0, segments: 0, bytes: 0, isAlone: true };
    const stopped = await untilUserError(() => publishAll(input, sent, problems));
    return { sent, received, problems, stopped };
  } finally {
    lock.release();
  }
}

/** Takes sessions of this machine out of the folder. False where they were not there. */
export async function withdrawKeys(
  { place, membership, passphrase }: Pick<SyncInput, "place" | "membership" | "passphrase">,
  keys: readonly string[],
): Promise<boolean> {
  const lock = await lockMembership(place);
  try {
    requireFolder(membership.folder);
    refuseEmptied(membership);
    await refuseOtherPassphrase(membership, passphrase);
    const outgoing = { place: place.path, membership, passphrase, redactor: undefined, problems: [] };
    let isAny = false;
    for (const key of keys) isAny = (await withdrawSession(outgoing, key)) || isAny;
    return isAny;
  } finally {
    lock.release();
  }
}

/** One process of this machine syncs with a folder at a time. */
function lockMembership({ lock }: MembershipPlace): Promise<Lock> {
  makeFolder(dirname(lock));
  return acquireLock(lock, { purpose: "syncing" });
}

/** The mount point of a drive that is away is an empty folder. */
function refuseEmptied({ folder, machine, hasJoined }: Membership): void {
  if (!hasJoined || existsSync(machineFile(folder, machine))) return;
  const message = `this machine's part of ${folder} is gone`;
  const hint = "mount the drive; or, if the folder was emptied, `turnlog sync remove` it and sync again";
  throw new UserError("not-found", message, hint);
}

/** A mistyped passphrase would make segments that nobody can read. */
async function refuseOtherPassphrase({ folder, machine, isAnnounced }: Membership, passphrase: Passphrase | undefined) {
  if (!isAnnounced || !passphrase) return;
  try {
    await unsealed(readFileSync(machineFile(folder, machine)), passphrase);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const hint = "try again; to use another one, `turnlog sync remove` the folder and sync it again";
    throw new UserError("usage", `this is not the passphrase that ${folder} is synced with`, hint, { cause: error });
  }
}

async function untilUserError(work: () => Promise<void>): Promise<UserError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

async function publishAll(input: SyncInput, sent: Sent, problems: FileProblem[]): Promise<void> {
  const { membership, passphrase, redactor, place } = input;
  await joinFolder(input);
  const onForeign = () => {
    sent.isAlone = false;
  };
  const outgoing: Outgoing = { place: place.path, membership, passphrase, redactor, problems, onForeign };
  const describe = describer(input);
  const own = ownKeys(place.path, input.sessions);
  const sentBefore = new Set([...listSent(place.path), ...own.map(({ key }) => key)]);
  if (listKeys(membership.folder, membership.machine, problems).some((key) => !sentBefore.has(key))) onForeign();
  for (const [at, { key, found }] of own.entries()) {
    const session: OwnSession = { key, found, about: (before, hasNews) => describe(found, before, hasNews) };
    const published = await attemptPublish(outgoing, session);
    if (published) {
      sent.sessions += published.segments > 0 ? 1 : 0;
      sent.segments += published.segments;
      sent.bytes += published.bytes;
    }
    input.onProgress?.(at + 1, own.length);
  }
}

type Sent = { -readonly [Key in keyof SyncResult["sent"]]: SyncResult["sent"][Key] };

/** A session that cannot be read stops no other; a shared folder that cannot be written stops all. */
async function attemptPublish(outgoing: Outgoing, session: OwnSession) {
  try {
    return await publishSession(outgoing, session);
  } catch (error) {
    const isOfSession = error instanceof UserError && error.message.includes(session.found.path);
    if (!isOfSession) throw error;
    outgoing.problems.push({ path: session.found.path, reason: error.message });
    return undefined;
  }
}

/** The machine's name, written once and when it changes. */
async function joinFolder({ dataDir, place, membership, passphrase }: SyncInput): Promise<void> {
  if (membership.isAnnounced) return;
  const { folder, machine, name } = membership;
  const bytes = Buffer.from(JSON.stringify({ version: 1, machine, name }));
  writeShared(machineFile(folder, machine), await sealed(bytes, passphrase));
  writeMembership(dataDir, place.path, { ...membership, hasJoined: true, isAnnounced: true });
}

/** What is said of sessions. The project is looked up once per folder, and only where there is something to send. */
function describer({ redactor, marks }: SyncInput) {
  const remotes = new Map<string, string | null>();
  const remoteOf = (cwd: string) => {
    const known = remotes.get(cwd);
    if (known !== undefined) return known;
    const remote = projectIdentity(cwd) ?? null;
    remotes.set(cwd, remote);
    return remote;
  };
  const clean = (text: string) => redactor?.text(text) ?? text;
  return (found: FoundSession, before: SessionAbout | null, hasNews: boolean): SessionAbout => {
    const own = cleanMarks(marks.get(found.id), clean);
    if (before && !hasNews) return { ...before, marks: own };
    const cwd = cwdOf(found);
    const remote = cwd === null ? null : (remoteOf(cwd) ?? before?.remote ?? null); // its folder may be gone by now
    const home = redactor ? null : homeFolder();
    return { slug: slugOf(found, cwd, clean), cwd: cwd && clean(cwd), home, remote, marks: own };
  };
}

/** The name of its folder, which holds the path of the project. */
function slugOf({ path }: FoundSession, cwd: string | null, clean: (text: string) => string): string {
  const isClean = cwd === null || clean(cwd) === cwd;
  const slug = isClean ? projectFolderName(path) : projectSlug(clean(cwd));
  return slug.replace(/[^A-Za-z0-9-]/g, "-").slice(0, MAX_SLUG) || "unknown";
}

const MAX_SLUG = 200;

function projectFolderName(path: string): string {
  return dirname(path).split(/[\\/]/).at(-1) ?? "";
}

function cleanMarks(marks: SessionMarks | undefined, clean: (text: string) => string): SessionAbout["marks"] {
  if (!marks) return null;
  const { title, tags, favourite, note } = marks;
  return { title: title && clean(title), tags: tags.map(clean), favourite, note: note && clean(note) };
}

const HEAD_RECORDS = 200;

/** The folder that the session began in. */
function cwdOf({ path }: FoundSession): string | null {
  const find = () => {
    let read = 0;
    for (const record of readRecords(path, { abridge: true })) {
      if (record.kind !== "broken" && typeof record.cwd === "string") return record.cwd;
      if (++read >= HEAD_RECORDS) break;
    }
    return null;
  };
  return skipUnreadable(path, [], find) ?? null;
}

export function isSent({ id, archived }: FoundSession): boolean {
  return !archived && isSessionId(id) && id === id.toLowerCase();
}
