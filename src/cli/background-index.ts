import { spawn } from "node:child_process";
import { accessSync, constants, statfsSync } from "node:fs";
import { namesOfSecrets } from "../agent/child-environment.js";
import { dataFolderOf, readSettings } from "../app/settings.js";
import { isFileError, reasonOf, UserError } from "../errors.js";
import { findBackgroundBuild, findFailedBuild } from "../library/sync/background.js";
import { formatDuration } from "../render/format-values.js";
import { ensureDataDir } from "../store/data-dir.js";
import type { Io } from "./io.js";

/** The hidden action of `turnlog index` that the background process runs. */
export const BACKGROUND_ACTION = "background";

/** `impossible`: the data folder cannot be written, which the user was told. */
export type BackgroundState = "running" | "off" | "impossible";

/**
 * Starts a process that builds what is missing in the index and outlives this one, unless one runs. Never in CI, where nobody
 * comes back to use it, and not where the user's settings say no.
 */
export async function startBackgroundIndex(io: Io, roots: readonly string[]): Promise<BackgroundState> {
  const [node, program] = process.argv;
  if (node === undefined || program === undefined || !(await isAllowed(io))) return "off";
  const obstacle = findObstacle(dataFolderOf(io));
  if (obstacle !== undefined) {
    io.stderr(`${obstacle}: nothing is indexed, the session files are read instead\n`);
    return "impossible";
  }
  const entries = Object.entries(io.env);
  const secrets = new Set(namesOfSecrets(entries));
  const env = Object.fromEntries(entries.filter(([name]) => !secrets.has(name))); // others can read it while it runs
  if (findBackgroundBuild(dataFolderOf(io)) === undefined) {
    const failure = findFailedBuild(dataFolderOf(io));
    if (failure !== undefined) io.stderr(`indexing in the background failed: ${failure}; it is tried again\n`);
    spawn(node, [program, "index", BACKGROUND_ACTION, ...roots], {
      detached: true,
      stdio: "ignore",
      windowsHide: true,
      env,
    })
      .on("error", () => undefined) // the next command tries again
      .unref();
  }
  return "running";
}

/** With less room the build would fail. */
const LEAST_FREE_BYTES = 1_000_000;

/** Why no index can be written there. */
function findObstacle(folder: string): string | undefined {
  try {
    accessSync(ensureDataDir(folder), constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < LEAST_FREE_BYTES ? `no space is left for ${folder}` : undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    if (isFileError(error)) return `${folder} cannot be written (${reasonOf(error)})`;
    throw error;
  }
}

async function isAllowed(io: Io): Promise<boolean> {
  const { index } = await readSettings(io);
  return !io.env["CI"] && index?.background !== false;
}

/** One line about how far it is, for people who watch; a script that reads the output does not need it. */
export function noteBackgroundIndex(io: Io): void {
  const build = io.isTerminal ? findBackgroundBuild(dataFolderOf(io)) : undefined;
  if (!build) return;
  const { share, remainingMs } = build;
  const far = share === null ? "" : `: ${Math.floor(share * 100)} %`;
  const left = remainingMs === null ? "" : `, about ${formatDuration(remainingMs)} left`;
  io.stderr(`indexing in the background${far}${left}; \`turnlog index status\` shows how far\n`);
}
