import { homeFolder } from "../own-user.js";
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
