import { UserError } from "../errors.js";
import { openArchive } from "../library/found-session.js";
import type { LoadOptions } from "../library/load/load-session.js";
import { withReceivedMarks } from "../library/machines/machine-sources.js";
import { findRipgrep } from "../library/sources/ripgrep.js";
import { walkLibrary } from "../library/sources/walk-library.js";
import { readMarks, type SessionMarks } from "../store/user-db.js";
import { type RootOptions, sessionRoots, sourceFolders } from "./session-roots.js";
import { dataFolderOf, type Environment, ownPrices, readSettings } from "./settings.js";

/** How to read sessions, from config.json, and turnlog's own data about them. */
export async function loadOptions(environment: Environment): Promise<LoadOptions> {
  const { roundGapMinutes } = await readSettings(environment);
  const prices = await ownPrices(environment);
  return {
    ...(prices === undefined ? {} : { prices }),
    ...(roundGapMinutes === undefined ? {} : { roundGapMinutes }),
    marks: readMarksOrWarn(environment),
    sources: await sourceFolders(environment),
    archive: openArchive(dataFolderOf(environment)),
  };
}

/** With what the library knows about the cost of sessions, for commands that show one. Others do not load what that takes. */
export async function withKnownCosts(
  load: LoadOptions,
  roots: RootOptions,
  environment: Environment,
): Promise<LoadOptions> {
  const [{ costsAmong, toReadSession }, { knownCosts }] = await Promise.all([
    import("../library/catalog/costs-among.js"),
    import("../library/catalog/known-costs.js"),
  ]);
  const folders = await sessionRoots(environment, roots);
  const ripgrep = findRipgrep();
  return {
    ...load,
    costsOf: knownCosts(dataFolderOf(environment), folders, load.prices),
    costsAmong: (path, [own, ...agents]) => {
      if (ripgrep === undefined || !own) return undefined;
      const library = { ripgrep, files: walkLibrary(folders, load.archive).files };
      if (!library.files.some((file) => file.path === path)) return undefined; // a file from elsewhere
      return costsAmong([toReadSession(path, own, agents)], library, load.prices).get(path);
    },
  };
}

/** The user's titles, tags and notes; commands that only show them continue without them, with a warning. */
function readMarksOrWarn(environment: Environment): ReadonlyMap<string, SessionMarks> {
  try {
    return withReceivedMarks(dataFolderOf(environment), readMarks(dataFolderOf(environment)));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    environment.warn(`your titles, tags and notes are not shown: ${error.message}`);
    return new Map();
  }
}
