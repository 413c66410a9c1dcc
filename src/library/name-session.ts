import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../errors.js";
import type { FileProblem } from "../format/folder-listing.js";
import { isSessionId } from "../format/layout.js";
import { expandHome } from "../format/path-forms.js";
import { type FoundSession, findSessions } from "./find-sessions.js";
import { loadSession } from "./load-session.js";
import { byLatestActivity, type SessionSummary, summarizeSession } from "./session-summary.js";
import { skipUnreadable } from "./skip-unreadable.js";

const LIST_HINT = "`turnlog list` shows the sessions there are";
const MIN_PREFIX = 2;

/**
 * The file of a session named by path, id, unique id prefix, exact title, or `last`. A session that cannot be read on
 * the way is added to `problems` and passed over.
 */
export function resolveSession(name: string, roots: readonly string[], problems: FileProblem[] = []): string {
  if (name === "") throw new UserError("usage", "a session's name is empty", LIST_HINT);
  const path = expandHome(name, process.env["HOME"] ?? process.env["USERPROFILE"] ?? "");
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return resolve(path);
  if (stats) throw new UserError("unreadable", `not a file: ${name}`, "name a session file, or a session by its id");
  if (/[/\\]|\.jsonl$/.test(name)) throw new UserError("not-found", `no such file: ${name}`, LIST_HINT);
  const found = findSessions(roots);
  problems.push(...found.problems);
  if (found.sessions.length === 0) {
    const hint = "name another folder with --config-dir, or use the demo sessions with --demo";
    throw new UserError("not-found", `no sessions in ${roots.join(", ")}`, hint);
  }
  if (name === "last") return lastSession(found.sessions, problems);
  const chosen = byId(name, found.sessions) ?? byTitle(name, found.sessions, problems);
  if (chosen) return chosen;
  throw new UserError("not-found", `no session is called "${name}"`, LIST_HINT);
}

/** By what the records say, among the files written of late: copies and syncs change a file's time, but not by days. */
function lastSession(sessions: readonly FoundSession[], problems: FileProblem[]): string {
  const written = sessions.filter(({ size }) => size > 0);
  const latestFirst = written.toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  let readSince = Number.NEGATIVE_INFINITY;
  const summaries: SessionSummary[] = [];
  for (const { path, mtimeMs } of latestFirst) {
    if (mtimeMs < readSince) break;
    const session = skipUnreadable(path, problems, () => loadSession(path));
    if (!session) continue;
    if (summaries.length === 0) readSince = mtimeMs - DAY_MS;
    summaries.push(summarizeSession(session, 0));
  }
  const last = summaries.sort(byLatestActivity)[0];
  if (last) return last.path;
  const message = written.length === 0 ? "all sessions are empty" : "no session can be read";
  throw new UserError("not-found", message, LIST_HINT);
}

const DAY_MS = 86_400_000;

function byId(name: string, sessions: readonly FoundSession[]): string | undefined {
  const wanted = name.toLowerCase();
  const isWhole = isSessionId(name);
  if (!isWhole && (name.length < MIN_PREFIX || !/^[0-9a-f][0-9a-f-]*$/.test(wanted))) return undefined;
  return onlyOne(
    name,
    sessions.filter(({ id }) => id.toLowerCase().startsWith(wanted)),
  );
}

function byTitle(name: string, sessions: readonly FoundSession[], problems: FileProblem[]): string | undefined {
  const titleOf = (path: string) => skipUnreadable(path, problems, () => loadSession(path).header.title);
  return onlyOne(
    name,
    sessions.filter(({ path, size }) => size > 0 && titleOf(path) === name),
  );
}

function onlyOne(name: string, matches: readonly FoundSession[]): string | undefined {
  if (matches.length < 2) return matches[0]?.path;
  const isSharedId = new Set(matches.map(({ id }) => id)).size < matches.length;
  const candidates = matches.map(({ id, path }) => (isSharedId ? path : id));
  const shown = candidates.slice(0, 5).join(", ");
  const more = candidates.length > 5 ? ` and ${candidates.length - 5} more` : "";
  throw new UserError("ambiguous", `"${name}" names ${candidates.length} sessions`, `be more exact: ${shown}${more}`);
}
