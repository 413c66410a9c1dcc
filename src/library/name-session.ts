import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../errors.js";
import { isSessionId } from "../format/layout.js";
import { expandHome } from "../format/path-forms.js";
import { type FoundSession, findSessions } from "./find-sessions.js";
import { byLatestActivity } from "./list-sessions.js";
import { loadSession } from "./load-session.js";
import { summarizeSession } from "./session-summary.js";

const LIST_HINT = "`turnlog list` shows the sessions there are";
const MIN_PREFIX = 4;

/** The file of a session named by path, id, unique id prefix, exact title, or `last`. */
export function resolveSession(name: string, roots: readonly string[]): string {
  if (name === "") throw new UserError("usage", "a session's name is empty", LIST_HINT);
  const path = expandHome(name, process.env["HOME"] ?? process.env["USERPROFILE"] ?? "");
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return resolve(path);
  if (stats) throw new UserError("unreadable", `not a file: ${name}`, "name a session file, or a session by its id");
  if (/[/\\]|\.jsonl$/.test(name)) throw new UserError("not-found", `no such file: ${name}`, LIST_HINT);
  const { sessions } = findSessions(roots);
  if (sessions.length === 0) {
    throw new UserError("not-found", `no sessions in ${roots.join(", ")}`, "name another folder with --config-dir");
  }
  if (name === "last") return lastSession(sessions);
  const chosen = byId(name, sessions) ?? byTitle(name, sessions);
  if (chosen) return chosen;
  throw new UserError("not-found", `no session is called "${name}"`, LIST_HINT);
}

/** By what the records say, among the files written of late: copies and syncs change a file's time, but not by days. */
function lastSession(sessions: readonly FoundSession[]): string {
  const written = sessions.filter(({ size }) => size > 0);
  const latest = Math.max(...written.map(({ mtimeMs }) => mtimeMs));
  const newest = written.filter(({ mtimeMs }) => latest - mtimeMs <= DAY_MS);
  const summaries = newest.map(({ path }) => summarizeSession(loadSession(path), 0)).sort(byLatestActivity);
  const last = summaries[0];
  if (!last) throw new UserError("not-found", "all sessions are empty", LIST_HINT);
  return last.path;
}

const DAY_MS = 86_400_000;

function byId(name: string, sessions: readonly FoundSession[]): string | undefined {
  const wanted = name.toLowerCase();
  const isWhole = isSessionId(name);
  const matches = sessions.filter(({ id }) =>
    isWhole ? id.toLowerCase() === wanted : id.toLowerCase().startsWith(wanted),
  );
  const first = matches[0];
  if (!first || (!isWhole && (name.length < MIN_PREFIX || !/^[0-9a-f-]+$/i.test(name)))) return undefined;
  if (matches.length > 1)
    throw ambiguous(
      name,
      matches.map(({ id, path }) => (isWhole ? path : id)),
    );
  return first.path;
}

function byTitle(name: string, sessions: readonly FoundSession[]): string | undefined {
  const matches = sessions.filter(({ path, size }) => size > 0 && loadSession(path).header.title === name);
  if (matches.length > 1)
    throw ambiguous(
      name,
      matches.map(({ id }) => id),
    );
  return matches[0]?.path;
}

function ambiguous(name: string, candidates: readonly string[]): UserError {
  const shown = candidates.slice(0, 5).join(", ");
  const more = candidates.length > 5 ? ` and ${candidates.length - 5} more` : "";
  return new UserError("ambiguous", `"${name}" names ${candidates.length} sessions`, `be more exact: ${shown}${more}`);
}
