import { join, posix, resolve, win32 } from "node:path";
import { errorCode, UserError } from "../errors.js";
import { homeFolder } from "../own-user.js";
import { makeFolder } from "./make-folder.js";

export type DataSubfolder =
  | "archive"
  | "trash"
  | "locks"
  | "log"
  | "spool"
  | "backup"
  | "children"
  | "traps"
  | "drafts"
  | "answers"
  | "sync"
  | "moves"
  | "budget";

/** The files directly in the data folder. */
export interface DataPaths {
  readonly config: string;
  readonly index: string;
  readonly user: string;
  readonly outbox: string;
  readonly traceKeys: string;
  readonly traceHashKey: string;
  /** Its time is when a loss of sessions was last looked for. */
  readonly lossChecked: string;
}

/** The data folder. An empty variable counts as unset. */
export function dataDir(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, home: string): string {
  if (env["TURNLOG_DATA_DIR"]) return env["TURNLOG_DATA_DIR"];
  if (platform === "win32") {
    return win32.join(env["LOCALAPPDATA"] || win32.join(home, "AppData", "Local"), "turnlog");
  }
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", "turnlog");
  return posix.join(xdgDataHome(env) ?? posix.join(home, ".local", "share"), "turnlog");
}

/** Creates the data folder, or one of its subfolders, if missing, and returns its absolute path. */
export function ensureDataDir(
  dir: string = dataDir(process.env, process.platform, homeFolder()),
  subfolder?: DataSubfolder,
): string {
  const wanted = subfolder ? resolve(dir, subfolder) : resolve(dir);
  try {
    makeFolder(wanted);
    return wanted;
  } catch (error) {
    const message = `cannot create the data folder ${wanted} (${errorCode(error) ?? error})`;
    const hint = "Set TURNLOG_DATA_DIR to a folder that you can write to.";
    throw new UserError("unreadable", message, hint, { cause: error });
  }
}

export function dataPaths(dir: string): DataPaths {
  return {
    config: join(dir, "config.json"),
    index: join(dir, "index.db"),
    user: join(dir, "user.db"),
    outbox: join(dir, "outbox.db"),
    traceKeys: join(dir, "trace-keys.json"),
    traceHashKey: join(dir, "trace-hash.key"),
    lossChecked: join(dir, "loss-checked"),
  };
}

/** The XDG specification says to ignore relative paths. */
function xdgDataHome(env: NodeJS.ProcessEnv): string | undefined {
  const path = env["XDG_DATA_HOME"];
  return path && posix.isAbsolute(path) ? path : undefined;
}
