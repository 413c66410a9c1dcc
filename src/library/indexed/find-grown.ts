import { statSync } from "node:fs";
import { basename } from "node:path";
import { attempt } from "../../format/folder-listing.js";
import { agentIdOf, owningSessionFile, sessionPaths } from "../../format/layout.js";
import type { Database } from "../../store/sqlite.js";
import { type FileRow, isCurrent, isKnownInode, readFileRow } from "./file-row.js";
import type { LibraryFile } from "./library-file.js";

export interface GrownFiles {
  readonly files: readonly LibraryFile[];
  /** Sub-agents that began in the folder of a session that the index knows. */
  readonly added: readonly LibraryFile[];
}

/**
 * These files, where all that happened is that they grew, or began as sub-agents of a known session; else only a walk can
 * tell.
 */
export function findGrown(db: Database, paths: readonly string[]): GrownFiles | undefined {
  const files: LibraryFile[] = [];
  const added: LibraryFile[] = [];
  for (const path of paths) {
    const row = readFileRow(db, path);
    const file = row ? grownFile(row) : begunAgent(db, path);
    if (!file) return undefined;
    if (!row) added.push(file);
    else if (!isCurrent(row, file)) files.push(file);
  }
  return { files, added };
}

function grownFile({
  path,
  agent_id,
  inode,
  size,
  mtime,
  is_counted,
  problem,
  archive,
}: FileRow): LibraryFile | undefined {
  const isPlaced = agent_id === null || isBelowItsSession(path);
  if (!isPlaced || is_counted === 0 || problem !== null || archive !== null || size === 0) return undefined;
  const file = lookAt(path);
  if (!file || file.inode !== inode || file.size < size) return undefined;
  if (file.size === size && file.mtimeMs !== mtime) return undefined; // rewritten
  return file;
}

/** What the index knows by its inode may have moved here. */
function begunAgent(db: Database, path: string): LibraryFile | undefined {
  if (!isBelowItsSession(path) || !readFileRow(db, owningSessionFile(path))) return undefined;
  const file = lookAt(path);
  return file && file.size > 0 && !isKnownInode(db, file.inode) ? file : undefined;
}

/** Else its lines say to which session a sub-agent belongs. */
function isBelowItsSession(path: string): boolean {
  return owningSessionFile(path) !== path;
}

function lookAt(path: string): LibraryFile | undefined {
  const stats = attempt(path, [], () => statSync(path));
  if (!stats) return undefined;
  const owner = owningSessionFile(path);
  const agentId = agentIdOf(basename(path));
  return {
    path,
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    inode: stats.ino,
    agent: agentId === undefined ? undefined : { agentId, owner, projectDir: sessionPaths(owner).projectDir },
    archive: null,
    open: () => path,
  };
}
