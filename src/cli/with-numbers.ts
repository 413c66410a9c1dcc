import type { IndexOptions } from "../app/index-option.js";
import type { Io } from "../app/io.js";
import { reportProblems } from "../app/report-problems.js";
import { settingsFolder } from "../app/settings.js";
import type { FileProblem } from "../format/folder-listing.js";
import { openArchive } from "../library/archive-place.js";
import type { Database } from "../store/sqlite.js";
import { GLANCE_MS, withIndex } from "./library-index.js";

/** The numbers of the index, or without one, of the sessions themselves. */
export function withNumbers<T>(
  io: Io,
  roots: readonly string[],
  options: IndexOptions,
  use: (db: Database) => T,
): Promise<T> {
  return withIndex(io, roots, { ...options, maxAgeMs: GLANCE_MS }, async (index, sync) => {
    reportProblems(sync?.problems ?? [], io);
    if (index) return use(index.db);
    const { readNumbers } = await import("../library/indexed/read-numbers.js");
    const problems: FileProblem[] = [];
    const db = readNumbers(roots, problems, undefined, openArchive(settingsFolder(io)));
    reportProblems(problems, io);
    try {
      return use(db);
    } finally {
      db.close();
    }
  });
}
