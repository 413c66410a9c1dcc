import type { FileProblem } from "../../format/layout/folder-listing.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { toHeader } from "../../session/describe-session.js";
import { readSession } from "../../session/open-session.js";
import { type Database, IN_MEMORY, openDatabase } from "../../store/sqlite.js";
import { readFileRows } from "../catalog/file-rows.js";
import { SCHEMA } from "../catalog/schema.js";
import { toFileNumbers } from "../entries/file-numbers.js";
import type { Archive } from "../found-session.js";
import { readSidecarTitle } from "../load/load-session.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { type LibraryFile, ownerOf, walkLibrary } from "../sources/walk-library.js";
import { type IndexWriter, indexWriterOf } from "./index-writer.js";

/** An index in memory with the numbers, but not the texts, of the files below the roots. */
export function readNumbers(
  roots: readonly string[],
  problems: FileProblem[] = [],
  isWanted: (file: LibraryFile) => boolean = () => true,
  archive?: Archive,
): Database {
  const db = openDatabase(IN_MEMORY);
  db.exec(SCHEMA);
  const writer = indexWriterOf(db);
  const walk = walkLibrary(roots, archive);
  problems.push(...walk.problems);
  const files = [...new Map(walk.files.filter(isWanted).map((file) => [file.path, file])).values()];
  db.transaction(() => {
    for (const file of files) writer.addFile(file, ownerOf(file, problems));
    const rows = readFileRows(db);
    for (const file of files) {
      const id = rows.get(file.path)?.id;
      if (id !== undefined) skipUnreadable(file.path, problems, () => readFile(writer, id, file));
    }
  });
  return db;
}

function readFile(writer: IndexWriter, id: number, { path, agent, open }: LibraryFile): void {
  const { session } = readSession(open());
  const sidecarTitle = agent ? undefined : readSidecarTitle(open());
  const outline = session.view(sidecarTitle === undefined ? {} : { sidecarTitle });
  const header = toHeader(outline, { id: sessionPaths(path).id, path });
  writer.numbers.write(id, toFileNumbers(outline, header, agent !== undefined));
}
