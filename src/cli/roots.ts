import { existsSync } from "node:fs";
import { configDirs } from "../format/config-dirs.js";
import type { Io } from "./io.js";

/** The folders in which sessions are looked for. */
export function sessionRoots(io: Io, explicit: string | undefined): readonly string[] {
  return configDirs({ env: io.env, platform: io.platform, cwd: io.cwd, explicit, exists: existsSync });
}
