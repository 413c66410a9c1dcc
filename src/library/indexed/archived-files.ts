import { basename, dirname, join } from "node:path";
import { agentIdOf, sessionPaths } from "../../format/layout.js";
import { once } from "../../session/once.js";
import { type ArchivedSession, archivedFolders, readArchived } from "../archive.js";
import type { Archive } from "../archive-place.js";
import { openArchived } from "../open-archived.js";
import type { LibraryFile } from "./library-file.js";
import { isBelow } from "./scope.js";

/** The copies of sessions that are no longer where they were, by the names of their folders. */
export function listGone(archive: Archive, present: readonly LibraryFile[]): string[] {
  const copies = archivedFolders(archive);
  if (copies.length === 0) return [];
  const ids = new Set(present.flatMap(({ path, agent }) => (agent ? [] : [sessionPaths(path).id])));
  return copies.flatMap(({ id, folder }) => (ids.has(id) ? [] : [basename(folder)]));
}

/** The transcripts in some copies, as if they still lay below the roots; of a session that moved before it went, the latest. */
export function readGone(archive: Archive, folders: readonly string[], roots: readonly string[]): LibraryFile[] {
  const latest = new Map<string, ArchivedSession>();
  for (const folder of folders) {
    const session = readArchived(join(archive.folder, folder));
    if (!session?.files[0] || !isBelow(session.path, roots)) continue;
    const other = latest.get(session.id);
    if (!other || lastWritten(other) < lastWritten(session)) latest.set(session.id, session);
  }
  return [...latest.values()].flatMap(toFiles);
}

function lastWritten({ files }: ArchivedSession): number {
  return files[0]?.mtimeMs ?? 0;
}

function toFiles(session: ArchivedSession): LibraryFile[] {
  const open = once(() => openArchived(session));
  const [transcript] = session.files;
  return session.files.flatMap((file): LibraryFile[] => {
    const { name, rawLength: size, mtimeMs, inode } = file;
    const agentId = file === transcript ? undefined : agentIdOf(basename(name));
    if (file !== transcript && agentId === undefined) return [];
    const path = join(session.root, ...name.split("/"));
    const agent =
      agentId === undefined ? undefined : { agentId, owner: session.path, projectDir: dirname(session.path) };
    return [
      {
        path,
        size,
        mtimeMs,
        inode,
        agent,
        archive: basename(session.folder),
        open: () => besides(open(), transcript?.name ?? "", name),
      },
    ];
  });
}

/** Another file of an unpacked copy, which lies around its transcript as it did below the root. */
function besides(transcript: string, transcriptName: string, name: string): string {
  return join(transcript.slice(0, -transcriptName.length), ...name.split("/"));
}

/** Where a transcript of the index can be read: itself, or the unpacked copy of a session that is gone. */
export function createOpener(archive: Archive | undefined): (path: string, folder: string | null) => string {
  const copies = new Map<string, readonly LibraryFile[]>();
  return (path, folder) => {
    if (folder === null || !archive) return path;
    const session = copies.has(folder) ? undefined : readArchived(join(archive.folder, folder));
    const files = copies.get(folder) ?? (session ? toFiles(session) : []);
    copies.set(folder, files);
    return files.find((file) => file.path === path)?.open() ?? path;
  };
}
