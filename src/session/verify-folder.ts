import type { LogRecord } from "../format/record.js";
import { projectSlugs } from "../format/slug.js";
import type { ProblemLog } from "./problem-log.js";

export interface FolderCheck {
  add(record: LogRecord): void;
  finish(): void;
}

/** Whether a session lies in the folder of a project in which it was recorded: older clients look for it nowhere else. */
export function createFolderCheck(folder: string | undefined, log: ProblemLog): FolderCheck {
  let elsewhere: { readonly line: number; readonly cwd: string } | undefined;
  let isAtHome = folder === undefined;
  return {
    add(record) {
      if (folder === undefined || isAtHome || record.kind === "broken" || !record.cwd) return;
      elsewhere ??= { line: record.line, cwd: record.cwd };
      isAtHome = projectSlugs(record.cwd).includes(folder);
    },
    finish() {
      if (!isAtHome && elsewhere) log.add("other-folder", elsewhere.line, elsewhere.cwd);
    },
  };
}
