import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../errors.js";
import { tryParseJson } from "../format/json.js";
import { expandHome } from "../format/layout/path-forms.js";
import { openArchive } from "../library/found-session.js";
import type { LoadOptions } from "../library/load/load-session.js";
import { withReceivedMarks } from "../library/machines/machine-sources.js";
import { findRipgrep } from "../library/sources/ripgrep.js";
import { walkLibrary } from "../library/sources/walk-library.js";
import { homeFolder } from "../own-user.js";
import type { PriceTable } from "../session/messages/cost.js";
import { readMarks, type SessionMarks } from "../store/user-db.js";
import { type RootOptions, sessionRoots, sourceFolders } from "./session-roots.js";
import { dataFolderOf, type Environment, readSettings } from "./settings.js";

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

/** The user's own prices, where config.json names a file. */
export async function ownPrices(environment: Environment): Promise<PriceTable | undefined> {
  const { pricesFile } = await readSettings(environment);
  if (pricesFile === undefined) return undefined;
  return readPrices(resolve(dataFolderOf(environment), expandHome(pricesFile, homeFolder())));
}

async function readPrices(path: string): Promise<PriceTable> {
  const json = tryParseJson(readText(path));
  const problem = await findProblem(json);
  if (problem === undefined) return json as PriceTable;
  throw new UserError("config", `the price file is invalid: ${problem}`, `fix ${path}, or pricesFile in config.json`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError("config", `cannot read the price file ${path}`, "check pricesFile in config.json", {
      cause: error,
    });
  }
}

/** zod is loaded only here: few users have a price file. */
async function findProblem(json: unknown): Promise<string | undefined> {
  const z = await import("zod");
  const usd = z.number().nonnegative();
  const price = z.looseObject({
    models: z.array(z.string().min(1)).min(1),
    input: usd,
    output: usd,
    cacheRead: usd,
    cacheWrite5m: usd,
    cacheWrite1h: usd,
    speed: z.string().optional(),
  });
  const checked = z.looseObject({ asOf: z.string(), prices: z.array(price) }).safeParse(json);
  const issue = checked.error?.issues[0];
  return issue && `${issue.path.join(".") || "the whole file"}: ${issue.message}`;
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
