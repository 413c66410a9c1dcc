import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../errors.js";
import { tryParseJson } from "../format/json.js";
import { expandHome } from "../format/layout/path-forms.js";
import { homeFolder } from "../own-user.js";
import type { PriceTable } from "../session/messages/cost.js";
import { type Config, readConfig } from "../store/config.js";
import { dataDir } from "../store/data-dir.js";

/** What a use case needs to know about the process it runs in. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
  /** What config.json says, where it was read already. */
  readonly settings?: Config;
  /** Takes a message for the user about something that was skipped, while the work continues. */
  warn(message: string): void;
}

/** The user's config.json; empty if there is none. */
export async function readSettings(environment: Environment): Promise<Config> {
  return environment.settings ?? readConfig(dataFolderOf(environment));
}

/** turnlog's data folder. Relative paths in config.json are relative to it. */
export function dataFolderOf({ env, platform }: Environment): string {
  return dataDir(env, platform, homeFolder());
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
