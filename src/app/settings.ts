import { homedir } from "node:os";
import { type Config, readConfig } from "../store/config.js";
import { dataDir } from "../store/data-dir.js";
import type { Environment } from "./environment.js";

/** What the person's config.json says; empty without one. */
export function readSettings(environment: Environment): Promise<Config> {
  return readConfig(dataFolderOf(environment));
}

/** Where config.json lies, and what its relative paths are relative to. */
export function dataFolderOf({ env, platform }: Environment): string {
  return dataDir(env, platform, homedir());
}
