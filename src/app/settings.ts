import { homedir } from "node:os";
import { type Config, readConfig } from "../store/config.js";
import { dataDir } from "../store/data-dir.js";
import type { Environment } from "./environment.js";

/** The user's config.json; empty if there is none. */
export function readSettings(environment: Environment): Promise<Config> {
  return readConfig(dataFolderOf(environment));
}

/** turnlog's data folder. Relative paths in config.json are relative to it. */
export function dataFolderOf({ env, platform }: Environment): string {
  return dataDir(env, platform, homedir());
}
