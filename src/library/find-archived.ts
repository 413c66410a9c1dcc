import { dirname } from "node:path";
import { findSharedSubagents } from "../format/find-subagents.js";
import { once } from "../session/once.js";
import { type ArchivedSession, archivedFolders, readArchived } from "./archive.js";
import type { FoundSession } from "./found-session.js";
import type { Knowledge } from "./known-facts.js";
import { openArchived } from "./open-archived.js";

/** The sessions of some roots that only the archive still has; of one that moved before it went, the latest. */
export function findArchived(
  { archive, sources }: Knowledge,
  roots: readonly string[],
  present: ReadonlySet<string>,
): FoundSession[] {
  const gone = new Map<string, FoundSession>();
  if (!archive) return [];
  for (const { id, folder } of archivedFolders(archive)) {
    const session = present.has(id) ? undefined : readArchived(folder);
    if (!session || !roots.includes(session.root) || !session.files[0]) continue;
    const found = toFound(session, session.files[0], sources?.get(session.root) ?? null);
    const other = gone.get(id);
    if (!other || other.mtimeMs < found.mtimeMs) gone.set(id, found);
  }
  return [...gone.values()];
}

function toFound(
  session: ArchivedSession,
  transcript: ArchivedSession["files"][number],
  source: string | null,
): FoundSession {
  const open = once(() => openArchived(session));
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
    sharedSubagents: once(() => findSharedSubagents(dirname(open()))),
  };
}
