import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../../errors.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { projectsDirOf } from "../../format/layout/session-paths.js";
import { type ArchivedSession, formerSession, listArchived, packedSizeOf } from "../../library/archive/archive.js";
import { type RestoredFiles, restoreArchived } from "../../library/archive/open-archived.js";
import { archiveLockPath, isArchivedOnly, updateArchive } from "../../library/archive/update-archive.js";
import { readCleanupRule } from "../../library/cleanup/client-cleanup.js";
import { openArchive } from "../../library/found-session.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { updateConfig } from "../../store/config.js";
import { adviceAbout } from "../../store/lock.js";
import { ownRoots, type RootOptions, sessionRoots } from "../session-roots.js";
import { openCleanups } from "../session-states.js";
import { dataFolderOf, type Environment, readSettings } from "../settings.js";
import { warnAboutSkipped } from "../skipped-files.js";

/** Turns the archive on or off; when on, copies all sessions. */
export async function switchArchive(enabled: boolean, options: RootOptions, environment: Environment): Promise<void> {
  const folder = dataFolderOf(environment);
  const { archive } = await updateConfig(folder, (config) => {
    config.archive = { ...config.archive, enabled };
  });
  if (!enabled) return;
  const problems: FileProblem[] = [];
  const found = findSessions(await sessionRoots(environment, options));
  if (!updateArchive(folder, found.sessions, archive ?? {}, problems)) {
    environment.warn(`another process is updating the archive${adviceAbout(archiveLockPath(folder))}`);
  }
  warnAboutSkipped(problems, environment);
}

export interface ArchiveStatus {
  readonly enabled: boolean;
  readonly sessions: number;
  readonly onlyArchived: number; // deleted, by Claude Code or in a source
  readonly sizeBytes: number;
  readonly rawBytes: number;
  readonly maxBytes: number | null; // null: no limit
  readonly keepDays: number | null;
  /** What Claude Code's own clean-up deletes, by configuration folder. */
  readonly cleanup: readonly {
    readonly root: string;
    readonly days: number | null; // null: it does not run, since settings are invalid
    readonly settings: string | null; // the file that says so; null: the default
    readonly expiring: number; // sessions that it deletes within a week
    readonly nextAt: string | null; // the first of them
  }[];
}

const WEEK_MS = 7 * 86_400_000;

export async function archiveStatus(environment: Environment): Promise<ArchiveStatus> {
  const { archive: settings } = await readSettings(environment);
  const copies = copiesIn(environment);
  return {
    enabled: settings?.enabled ?? false,
    sessions: copies.length,
    onlyArchived: copies.filter(isArchivedOnly).length,
    sizeBytes: copies.reduce((sum, copy) => sum + packedSizeOf(copy), 0),
    rawBytes: copies.reduce((sum, copy) => sum + rawSizeOf(copy), 0),
    maxBytes: settings?.maxBytes ?? null,
    keepDays: settings?.keepDays ?? null,
    cleanup: describeCleanup(await ownRoots(environment, {})),
  };
}

function describeCleanup(roots: readonly string[]): ArchiveStatus["cleanup"] {
  const cleanups = openCleanups(Date.now() + WEEK_MS);
  const { sessions } = findSessions(roots);
  return roots
    .filter((root) => existsSync(projectsDirOf(root)))
    .map((root) => {
      const times = sessions.flatMap((session) => (session.root === root ? (cleanups.wholeAt(session) ?? []) : []));
      const next = times.reduce((first, time) => Math.min(first, time), Number.POSITIVE_INFINITY);
      const nextAt = times.length === 0 ? null : new Date(next).toISOString();
      const { days, settings } = readCleanupRule(root);
      return { root, days, settings, expiring: times.length, nextAt };
    });
}

export interface ArchiveCopy {
  readonly id: string;
  readonly path: string;
  readonly root: string;
  readonly onlyArchived: boolean;
  readonly hasFormer: boolean; // its file was truncated or replaced
  readonly lastChange: string;
  readonly files: number;
  readonly sizeBytes: number;
  readonly rawBytes: number;
}

/** Latest change first. */
export function listArchiveCopies(environment: Environment): ArchiveCopy[] {
  const copies = copiesIn(environment).map((copy) => ({
    id: copy.id,
    path: copy.path,
    root: copy.root,
    onlyArchived: isArchivedOnly(copy),
    hasFormer: copy.former.length > 0,
    lastChange: new Date(copy.files[0]?.mtimeMs ?? 0).toISOString(),
    files: copy.files.length,
    sizeBytes: packedSizeOf(copy),
    rawBytes: rawSizeOf(copy),
  }));
  return copies.sort((a, b) => b.lastChange.localeCompare(a.lastChange));
}

function copiesIn(environment: Environment): readonly ArchivedSession[] {
  return listArchived(openArchive(dataFolderOf(environment)));
}

export interface RestoreCopyOptions {
  readonly to?: string; // a folder
  /** As it was before its file was last truncated or replaced. */
  readonly former?: boolean;
}

export interface RestoredCopy extends RestoredFiles {
  readonly id: string;
  readonly files: number; // of the copy
}

/** Restores a session from its copy; nothing is overwritten. */
export function restoreFromArchive(
  name: string,
  { to, former }: RestoreCopyOptions,
  environment: Environment,
): RestoredCopy {
  const chosen = chooseCopy(name, copiesIn(environment));
  const copy = former ? orNoFormer(formerSession(chosen)) : chosen;
  const restored = restoreArchived(copy, to === undefined ? undefined : resolve(environment.cwd, to));
  return { id: copy.id, files: copy.files.length, ...restored };
}

function orNoFormer(session: ArchivedSession | undefined): ArchivedSession {
  if (session) return session;
  throw new UserError("not-found", "no file of this session was truncated or replaced", "restore it without --former");
}

function chooseCopy(name: string, copies: readonly ArchivedSession[]): ArchivedSession {
  const wanted = name.toLowerCase();
  const matches = copies.filter(
    ({ id, path }) => path === name || (name.length > 1 && id.toLowerCase().startsWith(wanted)),
  );
  const [first] = matches;
  if (!first) {
    throw new UserError(
      "not-found",
      `no session in the archive is called "${name}"`,
      "`turnlog archive list` lists them",
    );
  }
  if (matches.length === 1) return first;
  const shown = matches.map(({ path }) => path).slice(0, 5);
  throw new UserError("ambiguous", `"${name}" matches ${matches.length} copies`, `use one of ${shown.join(", ")}`);
}

function rawSizeOf({ files }: ArchivedSession): number {
  return files.reduce((sum, { rawLength }) => sum + rawLength, 0);
}
