import { UserError } from "../errors.js";
import { neutralize } from "../render/neutralize.js";
import { readMarks, type SessionMarks } from "../store/user-db.js";
import type { Io } from "./io.js";
import { settingsFolder } from "./settings.js";

/** What the person added to sessions; a command that only shows it goes on without, and says so. */
export function knownMarks(io: Io): ReadonlyMap<string, SessionMarks> {
  try {
    return readMarks(settingsFolder(io));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    io.stderr(neutralize(`turnlog: your titles, tags and notes are not shown: ${error.message}\n`));
    return new Map();
  }
}
