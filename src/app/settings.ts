import { homedir } from "node:os";
import { type Config, readConfig } from "../store/config.js";
import { dataDir } from "../store/data-dir.js";
import type { Io } from "./io.js";

/** What the person's config.json says; empty without one. */
export function readSettings(io: Io): Promise<Config> {
  return readConfig(dataFolderOf(io));
}

/** Where config.json lies, and what its relative paths are relative to. */
export function dataFolderOf({ env, platform }: Io): string {
  return dataDir(env, platform, homedir());
}
