import { statSync } from "node:fs";
import { basename } from "node:path";
import { attempt } from "../../format/folder-listing.js";
import { agentIdOf, owningSessionFile, sessionPaths } from "../../format/layout.js";
import type { Database } from "../../store/sqlite.js";
import { type FileRow, isCurrent, readFileRow } from "./file-row.js";
import type { LibraryFile } from "./library-file.js";

export interface GrownFiles {
  readonly files: readonly LibraryFile[];
  readonly rows: ReadonlyMap<string, FileRow>;
}

/** These files, where the index knows each of them and all that happened is that they grew; else only a walk can tell. */
export function findGrown(db: Database, paths: readonly string[]): GrownFiles | undefined {
  const files: LibraryFile[] = [];
  const rows = new Map<string, FileRow>();
  for (const path of paths) {
    const row = readFileRow(db, path);
    const file = row && grownFile(row);
    if (!row || !file) return undefined;
    if (!isCurrent(row, file)) files.push(file);
    rows.set(path, row);
  }
  return { files, rows };
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
  const owner = owningSessionFile(path);
  const isPlaced = agent_id === null || owner !== path; // else its lines say to which session it belongs
  if (!isPlaced || is_counted === 0 || problem !== null || archive !== null || size === 0) return undefined;
  const stats = attempt(path, [], () => statSync(path));
  if (!stats || stats.ino !== inode || stats.size < size) return undefined;
  if (stats.size === size && stats.mtimeMs !== mtime) return undefined; // rewritten
  const agentId = agentIdOf(basename(path));
  return {
    path,
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    inode,
    agent: agentId === undefined ? undefined : { agentId, owner, projectDir: sessionPaths(owner).projectDir },
    archive: null,
    open: () => path,
  };
}
