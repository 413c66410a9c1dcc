import { dirname } from "node:path";
import { findConfigPlaces } from "../../format/layout/config-places.js";
import { findSharedSubagents } from "../../format/layout/files-of-session.js";
import { type FileProblem, isFolder, listFolder } from "../../format/layout/folder-listing.js";
import { expandHome } from "../../format/layout/path-forms.js";
import { projectsDirOf, sessionPaths } from "../../format/layout/session-paths.js";
import { listProjectDirs, listSessionFiles } from "../../format/layout/sessions-of-project.js";
import { once } from "../../lazy.js";
import { sweepTemporary } from "../../store/temporary.js";
import { type ArchivedSession, archivedFolders, readArchived } from "../archive/archive.js";
import { openWithSource } from "../archive/copied-transcript.js";
import { openArchived } from "../archive/open-archived.js";
import { openWhole } from "../archive/whole-transcript.js";
import type { FoundSession, UserData } from "../found-session.js";

export interface FoundSessions {
  readonly sessions: readonly FoundSession[];
  /** Session folders whose transcript is missing. */
  readonly withoutTranscript: readonly { readonly id: string; readonly sideDir: string }[];
  readonly problems: readonly FileProblem[];
}

/** All sessions below the roots, and those that only the archive still has. A root is a configuration folder, or any folder with session files or projects in it. */
export function findSessions(roots: readonly string[], userData: UserData = {}): FoundSessions {
  const sessions: FoundSession[] = [];
  const withoutTranscript: FoundSessions["withoutTranscript"][number][] = [];
  const problems: FileProblem[] = [];
  const entered = new Set<string>();
  for (const root of roots) {
    const source = userData.sources?.get(root) ?? null;
    const places = once(() => findConfigPlaces(root));
    for (const folder of projectFolders(root, problems)) {
      if (entered.has(folder)) continue; // roots may be nested
      entered.add(folder);
      sweepTemporary(folder);
      const listing = listSessionFiles(folder);
      const sharedSubagents = once(() => findSharedSubagents(folder));
      for (const { path, id, size, mtimeMs, inode } of listing.sessions) {
        const open = () => path;
        const whole = once(() => openWhole(userData.archive, path, { path, root }));
        const withSource = () => openWithSource(userData.archive, path, { path: whole().path, root });
        const place = { root, source, archived: false, sharedSubagents, places };
        sessions.push({ path, id, size, mtimeMs, inode, open, whole, withSource, ...place });
      }
      withoutTranscript.push(...listing.withoutTranscript);
      problems.push(...listing.problems);
    }
  }
  const present = new Set(sessions.map(({ id }) => id));
  sessions.push(...findArchived(userData, roots, present));
  return { sessions, withoutTranscript, problems };
}

/** The roots that a caller of the public API names, with `~` expanded. */
export function expandRoots(folders: string | readonly string[]): string[] {
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  return [folders].flat().map((folder) => expandHome(folder, home));
}

/** The folders of a root that may contain sessions. Drafts of backups that a killed process left beside them are removed. */
export function projectFolders(root: string, problems: FileProblem[]): string[] {
  if (!isFolder(root, problems)) return [];
  sweepTemporary(dirname(sessionPaths(root).fileHistoryDir(root)));
  const isConfigDir = isFolder(projectsDirOf(root), problems);
  if (isConfigDir === undefined) return [];
  const listing = isConfigDir ? listProjectDirs(root) : foldersIn(root);
  problems.push(...listing.problems);
  return [...(isConfigDir ? [] : [root]), ...listing.projects.map(({ path }) => path)];
}

function foldersIn(root: string): { projects: readonly { path: string }[]; problems: readonly FileProblem[] } {
  const { entries, problems } = listFolder(root);
  return { projects: entries.filter(({ kind, isLink }) => kind === "folder" && !isLink), problems };
}

/** The sessions of some roots that only the archive still has; of several copies of one, the latest. */
function findArchived(
  { archive, sources }: UserData,
  roots: readonly string[],
  present: ReadonlySet<string>,
): FoundSession[] {
  const archivedOnly = new Map<string, FoundSession>();
  if (!archive) return [];
  for (const { id, folder } of archivedFolders(archive)) {
    const session = present.has(id) ? undefined : readArchived(folder);
    if (!session || !roots.includes(session.root) || !session.files[0]) continue;
    const found = toFound(session, session.files[0], sources?.get(session.root) ?? null);
    const other = archivedOnly.get(id);
    if (!other || other.mtimeMs < found.mtimeMs) archivedOnly.set(id, found);
  }
  return [...archivedOnly.values()];
}

function toFound(
  session: ArchivedSession,
  transcript: ArchivedSession["files"][number],
  source: string | null,
): FoundSession {
  const open = once(() => openArchived(session));
  const archive = { folder: dirname(session.folder) };
  const rootOf = (path: string) => path.slice(0, -transcript.name.length - 1);
  const whole = once(() => openWhole(archive, session.path, { path: open(), root: rootOf(open()) }));
  const withSource = () => openWithSource(archive, session.path, { path: whole().path, root: rootOf(open()) });
  return {
    path: session.path,
    id: session.id,
    size: transcript.rawLength,
    mtimeMs: transcript.mtimeMs,
    inode: transcript.inode,
    root: session.root,
    source,
    archived: true,
    open,
    whole,
    withSource,
    sharedSubagents: once(() => findSharedSubagents(dirname(open()))),
    places: once(() => findConfigPlaces(session.root)),
  };
}
