import { findSharedSubagents } from "../format/find-subagents.js";
import { type FileProblem, isFolder, listFolder } from "../format/folder-listing.js";
import { projectsDirOf } from "../format/layout.js";
import { listProjectDirs, listSessionFiles } from "../format/list-sessions.js";
import { once } from "../session/once.js";
import { findArchived } from "./find-archived.js";
import type { FoundSession } from "./found-session.js";
import type { Knowledge } from "./known-facts.js";

export interface FoundSessions {
  readonly sessions: readonly FoundSession[];
  /** Folders of sessions whose transcript is gone. */
  readonly withoutTranscript: readonly { readonly id: string; readonly sideDir: string }[];
  readonly problems: readonly FileProblem[];
}

/** All sessions of all roots, those that only the archive still has among them. A root is a configuration folder, or any folder with session files or projects in it. */
export function findSessions(roots: readonly string[], knowledge: Knowledge = {}): FoundSessions {
  const sessions: FoundSession[] = [];
  const withoutTranscript: FoundSessions["withoutTranscript"][number][] = [];
  const problems: FileProblem[] = [];
  const entered = new Set<string>();
  for (const root of roots) {
    const source = knowledge.sources?.get(root) ?? null;
    for (const folder of projectFolders(root, problems)) {
      if (entered.has(folder)) continue; // roots may lie within each other
      entered.add(folder);
      const listing = listSessionFiles(folder);
      const sharedSubagents = once(() => findSharedSubagents(folder));
      const place = { root, source, archived: false, sharedSubagents };
      sessions.push(...listing.sessions.map((file) => ({ ...file, ...place, open: () => file.path })));
      withoutTranscript.push(...listing.withoutTranscript);
      problems.push(...listing.problems);
    }
  }
  const present = new Set(sessions.map(({ id }) => id));
  sessions.push(...findArchived(knowledge, roots, present));
  return { sessions, withoutTranscript, problems };
}

/** The folders of a root in which sessions lie. */
export function projectFolders(root: string, problems: FileProblem[]): string[] {
  if (!isFolder(root, problems)) return [];
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
