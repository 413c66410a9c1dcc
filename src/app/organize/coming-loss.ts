import { statSync, writeFileSync } from "node:fs";
import { attempt } from "../../format/layout/folder-listing.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { dataPaths, ensureDataDir } from "../../store/data-dir.js";
import { ownRoots, type RootOptions } from "../session-roots.js";
import { openCleanups } from "../session-states.js";
import { dataFolderOf, type Environment, readSettings } from "../settings.js";

/** Sessions that Claude Code's own clean-up deletes within a week, while nothing keeps a copy. */
export interface ComingLoss {
  readonly sessions: number;
  /** There may be more: not all were looked at. */
  readonly isAtLeast: boolean;
  readonly firstAt: string;
}

const DAY_MS = 86_400_000;

/** Who made a session is in its file: of no more than this many the beginning is read. */
const MAX_LOOKED_AT = 100;

/** Null: nothing is lost, or the archive keeps it. Sources of other places are not cleaned up from here. */
export async function findComingLoss(environment: Environment, options: RootOptions): Promise<ComingLoss | null> {
  const { archive } = await readSettings(environment);
  if (archive?.enabled || options.demo) return null;
  const cleanups = openCleanups(Date.now() + 7 * DAY_MS);
  const candidates = findSessions(await ownRoots(environment, options))
    .sessions.filter((session) => cleanups.mayGo(session))
    .sort((a, b) => a.mtimeMs - b.mtimeMs);
  const times = candidates.slice(0, MAX_LOOKED_AT).flatMap((session) => cleanups.wholeAt(session) ?? []);
  if (times.length === 0) return null;
  const firstAt = new Date(Math.min(...times)).toISOString();
  return { sessions: times.length, isAtLeast: candidates.length > MAX_LOOKED_AT, firstAt };
}

/** The same for a command that is used all day: looks once a day, and not where config.json says so. */
export async function newComingLoss(environment: Environment, options: RootOptions): Promise<ComingLoss | null> {
  const { archive } = await readSettings(environment);
  const folder = dataFolderOf(environment);
  if (archive?.enabled || archive?.warn === false || options.demo || !isCheckDue(folder)) return null;
  return findComingLoss(environment, options);
}

/** Where that cannot be remembered, nothing is checked: each command would say it again. */
function isCheckDue(folder: string): boolean {
  const path = dataPaths(folder).lossChecked;
  const last = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
  if (Date.now() - last < DAY_MS) return false;
  const isKept = attempt(path, [], () => {
    ensureDataDir(folder);
    writeFileSync(path, "");
    return true;
  });
  return isKept ?? false;
}
