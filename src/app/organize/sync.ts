import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { UserError } from "../../errors.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { expandHome } from "../../format/layout/path-forms.js";
import { type CachedMachine, listCachedMachines } from "../../library/machines/machine-sources.js";
import {
  listMemberships,
  listSent,
  type Membership,
  newMembership,
  placeOf,
  readMembership,
  removeMembership,
  writeMembership,
} from "../../library/machines/memberships.js";
import { plainName, removeCache } from "../../library/machines/receive.js";
import { requireFolder } from "../../library/machines/shared-folder.js";
import { isSent, type SyncResult, syncFolder, withdrawKeys } from "../../library/machines/sync-folder.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { homeFolder } from "../../own-user.js";
import { Passphrase } from "../../store/sealed-file.js";
import { readMarks } from "../../store/user-db.js";
import { addedSources, ownRoots, type RootOptions } from "../session-roots.js";
import { dataFolderOf, type Environment } from "../settings.js";
import { syncRedactor } from "./sync-redactor.js";

export interface SyncOptions extends RootOptions {
  /** Of this machine, as others see it. */
  readonly name?: string;
  readonly redact?: boolean;
  readonly encrypt?: boolean;
  readonly passphraseFile?: string;
}

export interface SyncOutcome extends SyncResult {
  readonly membership: Membership;
}

/** How a command asks for a passphrase. */
export type AskPassphrase = (folder: string, isNew: boolean) => Promise<string>;

/** Syncs one folder, or all that this machine syncs with. Options are kept for the next time. */
export async function syncSessions(
  folder: string | undefined,
  options: SyncOptions,
  environment: Environment,
  ask: AskPassphrase,
): Promise<SyncOutcome[]> {
  const dataDir = dataFolderOf(environment);
  const folders =
    folder === undefined
      ? listMemberships(dataDir).map(({ membership }) => membership.folder)
      : [resolve(environment.cwd, expandHome(folder, homeFolder()))];
  if (folders.length === 0)
    throw new UserError("usage", "no folder is synced yet", "name one: `turnlog sync <folder>`");
  const outcomes: SyncOutcome[] = [];
  for (const each of folders) outcomes.push(await syncOne(each, options, environment, ask));
  return outcomes;
}

async function syncOne(
  folder: string,
  options: SyncOptions,
  environment: Environment,
  ask: AskPassphrase,
): Promise<SyncOutcome> {
  const dataDir = dataFolderOf(environment);
  const place = placeOf(dataDir, folder);
  const known = readMembership(place.path);
  if (!known) requireFolder(folder);
  const membership = withOptions(known ?? newMembership(folder, DEFAULTS()), options, environment);
  const passphrase = await passphraseOf(membership, known === undefined, ask);
  if (JSON.stringify(membership) !== JSON.stringify(known)) writeMembership(dataDir, place.path, membership);
  const problems: FileProblem[] = [];
  const found = findSessions(await ownRoots(environment, options));
  problems.push(...found.problems);
  const result = await syncFolder({
    dataDir,
    place,
    membership,
    passphrase,
    redactor: membership.redact ? await syncRedactor(environment) : undefined,
    sessions: found.sessions.filter(isSent),
    marks: readMarks(dataDir),
  });
  return { ...result, problems: [...problems, ...result.problems], membership };
}

const DEFAULTS = () => ({
  name: plainName(hostname().replace(/\..*$/, "")) || "machine",
  redact: false,
  encrypted: false,
  passphraseFile: null,
});

function withOptions(known: Membership, options: SyncOptions, { cwd }: Environment): Membership {
  const { name, redact, encrypt, passphraseFile } = options;
  const plain = name === undefined ? known.name : plainName(name);
  if (plain === "") throw new UserError("usage", "the name of the machine is empty", "use one like `--name laptop`");
  const file = passphraseFile === undefined ? known.passphraseFile : resolve(cwd, passphraseFile);
  const isEncrypted = encrypt ?? (passphraseFile !== undefined || known.encrypted);
  const isRenamed = plain !== known.name || isEncrypted !== known.encrypted;
  return {
    ...known,
    name: plain,
    redact: redact ?? known.redact,
    encrypted: isEncrypted,
    passphraseFile: isEncrypted ? file : null,
    isAnnounced: known.isAnnounced && !isRenamed,
  };
}

async function passphraseOf(
  { encrypted, passphraseFile, folder, machine }: Membership,
  isNew: boolean,
  ask: AskPassphrase,
): Promise<Passphrase | undefined> {
  if (!encrypted) return undefined;
  const text = passphraseFile === null ? await ask(folder, isNew) : readPassphrase(passphraseFile);
  return new Passphrase(text, { salt: hash("sha256", machine, "buffer").subarray(0, 16) });
}

function readPassphrase(file: string): string {
  try {
    const [line = ""] = readFileSync(file, "utf8").split(/\r?\n/);
    return line;
  } catch (error) {
    throw new UserError("not-found", `cannot read the passphrase in ${file}`, "check --passphrase-file", {
      cause: error,
    });
  }
}

/** Takes a session of this machine out of all shared folders. */
export async function withdrawSession(
  name: string,
  environment: Environment,
  ask: AskPassphrase,
): Promise<{ readonly id: string; readonly folders: readonly string[] }> {
  const memberships = listMemberships(dataFolderOf(environment));
  const keys = [...new Set(memberships.flatMap(({ place }) => listSent(place)))];
  const ids = [...new Set(keys.filter((key) => key.startsWith(name.toLowerCase())).map((key) => key.slice(0, 36)))];
  const [id] = ids;
  if (id === undefined || name.length < MIN_PREFIX)
    throw new UserError("not-found", `no session that was sent is called ${name}`, "give its id, or its beginning");
  if (ids.length > 1)
    throw new UserError(
      "ambiguous",
      `"${name}" names ${ids.length} sessions`,
      `give more of the id: ${ids.join(", ")}`,
    );
  const folders: string[] = [];
  for (const { place, membership } of memberships) {
    const passphrase = await passphraseOf(membership, false, ask);
    const input = { place: { ...placeOf(dataFolderOf(environment), membership.folder) }, membership, passphrase };
    const own = listSent(place).filter((key) => key.startsWith(id));
    if (own.length > 0 && (await withdrawKeys(input, own))) folders.push(membership.folder);
  }
  if (folders.length === 0) throw new UserError("not-found", `${id} was withdrawn already`);
  return { id, folders };
}

const MIN_PREFIX = 4;

/** Removes the copies of another machine's sessions here; its part of the shared folder stays, and is not read any more. */
export async function forgetMachine(name: string, environment: Environment): Promise<CachedMachine> {
  const dataDir = dataFolderOf(environment);
  const machines = await cachedMachines(environment);
  const wanted = name.toLowerCase();
  const machine = machines.find((other) => other.name.toLowerCase() === wanted || other.cache.machine === wanted);
  if (!machine) {
    const names = machines.map((other) => other.name).join(", ");
    throw new UserError("not-found", `no machine is called ${name}`, names === "" ? undefined : `there are ${names}`);
  }
  const { membership, place, cache } = machine;
  const forgotten = [...new Set([...membership.forgotten, cache.machine])];
  writeMembership(dataDir, place, { ...membership, forgotten });
  removeCache(cache);
  return machine;
}

export async function cachedMachines(environment: Environment): Promise<CachedMachine[]> {
  return listCachedMachines(dataFolderOf(environment), (await addedSources(environment)).values());
}

/** Ends the sync with a folder: nothing in the folder changes, the copies of other machines' sessions here are removed. */
export function leaveFolder(folder: string, environment: Environment): Membership {
  const path = resolve(environment.cwd, expandHome(folder, homeFolder()));
  const place = placeOf(dataFolderOf(environment), path);
  const membership = readMembership(place.path);
  if (!membership)
    throw new UserError("not-found", `${path} is not synced`, "`turnlog sync status` lists the folders that are");
  removeMembership(place.path);
  return membership;
}
