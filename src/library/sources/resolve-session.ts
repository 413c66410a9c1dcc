import { accessSync, constants, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../../errors.js";
import { findConfigPlaces } from "../../format/layout/config-places.js";
import { findSharedSubagents } from "../../format/layout/files-of-session.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { expandHome } from "../../format/layout/path-forms.js";
import { configRootOf, isSessionId, sessionPaths } from "../../format/layout/session-paths.js";
import { once } from "../../lazy.js";
import { openWhole } from "../archive/whole-transcript.js";
import type { FoundSession, UserData } from "../found-session.js";
import { loadFound, readSidecarTitle } from "../load/load-session.js";
import { byLatestActivity, type SessionSummary } from "../load/session-summary.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { findSessions } from "./find-sessions.js";
import { filesThatMayHold, findRipgrep } from "./ripgrep.js";

const LIST_HINT = "`turnlog list` lists all sessions";
const MIN_PREFIX = 2;

/**
 * The file of a session given by path, id, unique id prefix, exact title, or `last`. Sessions that cannot be read on
 * the way are added to `problems` and skipped.
 */
export function resolveSession(
  name: string,
  roots: readonly string[],
  problems: FileProblem[] = [],
  userData: UserData = {},
): string {
  return findNamedSession(name, roots, problems, userData).open();
}

/** The same, with where it was found. */
export function findNamedSession(
  name: string,
  roots: readonly string[],
  problems: FileProblem[] = [],
  userData: UserData = {},
): FoundSession {
  if (name === "") throw new UserError("usage", "the session name is empty", LIST_HINT);
  const path = expandHome(name, process.env["HOME"] ?? process.env["USERPROFILE"] ?? "");
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return foundByPath(resolve(path), stats, userData);
  if (stats)
    throw new UserError("unreadable", `not a file: ${name}`, "give the path of a session file, or a session id");
  const found = findSessions(roots, userData);
  if (/[/\\]|\.jsonl$/.test(name)) return byFormerPath(name, resolve(path), found.sessions);
  problems.push(...found.problems);
  if (found.sessions.length === 0) {
    const hint = "name another folder with --config-dir, or use the demo sessions with --demo";
    throw new UserError("not-found", `no sessions in ${roots.join(", ")}`, hint);
  }
  if (name === "last") return lastSession(found.sessions, problems);
  const chosen =
    byId(name, found.sessions) ??
    byUserTitle(name, found.sessions, userData) ??
    byTitle(name, found.sessions, problems, userData);
  if (chosen) return chosen;
  throw new UserError("not-found", `no session is called "${name}"`, LIST_HINT);
}

/** A path where a session was that only the archive still has. */
function byFormerPath(name: string, path: string, sessions: readonly FoundSession[]): FoundSession {
  const session = sessions.find((found) => found.archived && found.path === path);
  if (session) return session;
  throw new UserError("not-found", `no such file: ${name}`, LIST_HINT);
}

function foundByPath(path: string, { size, mtimeMs, ino }: Stats, { archive }: UserData): FoundSession {
  const { id, projectDir } = sessionPaths(path);
  return {
    path,
    id,
    size,
    mtimeMs,
    inode: ino,
    root: configRootOf(path),
    source: null,
    archived: false,
    open: () => path,
    whole: once(() => openWhole(archive, path)),
    sharedSubagents: () => findSharedSubagents(projectDir),
    places: () => findConfigPlaces(configRootOf(path)),
  };
}

/**
 * The same among listed sessions, latest activity first, and never by path: for clients that may name sessions but not
 * files.
 */
export function resolveListed(name: string, sessions: readonly SessionSummary[]): SessionSummary {
  const written = sessions.filter(({ sizeBytes }) => sizeBytes > 0);
  const titled = written.filter(({ title }) => title === name);
  const chosen = name === "last" ? written[0] : (byId(name, written) ?? onlyOne(name, titled));
  if (chosen) return chosen;
  const near = nearTo(name, written).map(({ id, title }) => `${id} "${title}"`);
  const hint = near.length > 0 ? `similar: ${near.join("; ")}` : "use a session id, an id prefix, a title or `last`";
  throw new UserError("not-found", `no session is called "${name}"`, hint);
}

const NEAR = 5;

/** Sessions whose title contains at least half of the words, or whose id starts alike; best first. */
function nearTo(name: string, sessions: readonly SessionSummary[]): SessionSummary[] {
  const words = [...new Set(name.toLowerCase().split(/[^\p{L}\p{N}]+/u))].filter((word) => word.length > 1);
  const likeness = ({ id, title }: SessionSummary) => {
    const lower = title.toLowerCase();
    const shared = words.filter((word) => lower.includes(word)).length;
    return shared + (name.length >= NEAR_ID && id.startsWith(name.toLowerCase().slice(0, NEAR_ID)) ? 1 : 0);
  };
  return sessions
    .map((session) => ({ session, likeness: likeness(session) }))
    .filter((candidate) => candidate.likeness > 0 && candidate.likeness * 2 >= words.length)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, NEAR)
    .map(({ session }) => session);
}

const NEAR_ID = 4;

/** By the times in the records, among the files written within a day of the latest: copying and syncing change file times. */
function lastSession(sessions: readonly FoundSession[], problems: FileProblem[]): FoundSession {
  const written = sessions.filter(({ size }) => size > 0);
  const latestFirst = written.toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  let readSince = Number.NEGATIVE_INFINITY;
  const recent: {
    readonly id: string;
    readonly path: string;
    readonly endedAt: string | null;
    readonly found: FoundSession;
  }[] = [];
  for (const found of latestFirst) {
    if (found.mtimeMs < readSince) break;
    const session = skipUnreadable(found.path, problems, () => loadFound(found));
    if (!session) continue;
    if (recent.length === 0) readSince = found.mtimeMs - DAY_MS;
    recent.push({ id: found.id, path: found.path, endedAt: session.header.endedAt, found });
  }
  const last = recent.sort(byLatestActivity)[0];
  if (last) return last.found;
  const message = written.length === 0 ? "all sessions are empty" : "no session can be read";
  throw new UserError("not-found", message, LIST_HINT);
}

const DAY_MS = 86_400_000;

interface Named {
  readonly id: string;
  readonly path: string;
  readonly source: string | null;
}

function byId<Session extends Named>(name: string, sessions: readonly Session[]): Session | undefined {
  const wanted = name.toLowerCase();
  const isWhole = isSessionId(name);
  if (!isWhole && (name.length < MIN_PREFIX || !/^[0-9a-f][0-9a-f-]*$/.test(wanted))) return undefined;
  return onlyOne(
    name,
    sessions.filter(({ id }) => id.toLowerCase().startsWith(wanted)),
  );
}

function byUserTitle(name: string, sessions: readonly FoundSession[], { marks }: UserData): FoundSession | undefined {
  return onlyOne(
    name,
    sessions.filter(({ id }) => marks?.get(id)?.title === name),
  );
}

/** Sessions whose title the catalog does not know are read, unless they cannot have this one. */
function byTitle(
  name: string,
  sessions: readonly FoundSession[],
  problems: FileProblem[],
  { titles }: UserData,
): FoundSession | undefined {
  const known = titles?.();
  const isUnknown = ({ path, size }: FoundSession) => size > 0 && known?.get(path) === undefined;
  const possible = new Set(withoutOtherTitles(name, sessions.filter(isUnknown)));
  const readTitle = (found: FoundSession) =>
    possible.has(found) ? skipUnreadable(found.path, problems, () => loadFound(found).header.title) : undefined;
  return onlyOne(
    name,
    sessions.filter((found) => found.size > 0 && (known?.get(found.path) ?? readTitle(found)) === name),
  );
}

/** Less is read sooner than ripgrep starts. */
const NARROWED_BYTES = 4 * 1024 * 1024;
const MAX_WORDS = 4;

/**
 * The sessions that may have this title: every word of a title is in the session's file, or in the file with its title beside
 * it. What may not be read, and what is archived, may have any.
 */
function withoutOtherTitles(name: string, sessions: readonly FoundSession[]): readonly FoundSession[] {
  const ripgrep = findRipgrep();
  const words = (name.match(/[\p{L}\p{N}]+/gu) ?? []).toSorted((a, b) => b.length - a.length).slice(0, MAX_WORDS);
  const isLittle = sessions.reduce((sum, { size }) => sum + size, 0) < NARROWED_BYTES;
  if (ripgrep === undefined || words.length === 0 || isLittle) return sessions;
  const isOpen = ({ path, archived }: FoundSession) =>
    archived || readSidecarTitle(path) !== undefined || !isReadable(path);
  const open = new Set(sessions.filter(isOpen));
  let left = sessions.filter((session) => !open.has(session)).map(({ path }) => path);
  for (const word of words) left = filesThatMayHold(ripgrep, word, left);
  const possible = new Set(left);
  return sessions.filter((session) => open.has(session) || possible.has(session.path));
}

function isReadable(path: string): boolean {
  return attempt(path, [], () => accessSync(path, constants.R_OK) ?? true) ?? false;
}

/** Of one session in several sources, such as those of other machines, a name is that of Claude Code's own copy. */
function onlyOne<Session extends Named>(name: string, matches: readonly Session[]): Session | undefined {
  if (matches.length < 2) return matches[0];
  const ids = new Set(matches.map(({ id }) => id));
  const [own, ...others] = ids.size === 1 ? matches.filter(({ source }) => source === null) : [];
  if (own && others.length === 0) return own;
  const isSharedId = ids.size < matches.length;
  const candidates = matches.map(({ id, path }) => (isSharedId ? path : id));
  const shown = candidates.slice(0, 5).join(", ");
  const more = candidates.length > 5 ? ` and ${candidates.length - 5} more` : "";
  throw new UserError(
    "ambiguous",
    `"${name}" names ${candidates.length} sessions`,
    `be more specific: ${shown}${more}`,
  );
}
