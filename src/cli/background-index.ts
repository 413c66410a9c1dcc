import { spawn } from "node:child_process";
import { namesOfSecrets } from "../agent/child-environment.js";
import { dataFolderOf, readSettings } from "../app/settings.js";
import { findBackgroundBuild } from "../library/sync/background.js";
import { formatDuration } from "../render/format-values.js";
import type { Io } from "./io.js";

/** The hidden action of `turnlog index` that the background process runs. */
export const BACKGROUND_ACTION = "background";

/**
 * Starts a process that builds what is missing in the index and outlives this one, unless one runs. Never in CI, where nobody
 * comes back to use it, and not where the user's settings say no. Returns whether one runs.
 */
export async function startBackgroundIndex(io: Io, roots: readonly string[]): Promise<boolean> {
  const [node, program] = process.argv;
  if (node === undefined || program === undefined || !(await isAllowed(io))) return false;
  const entries = Object.entries(io.env);
  const secrets = new Set(namesOfSecrets(entries));
  const env = Object.fromEntries(entries.filter(([name]) => !secrets.has(name))); // others can read it while it runs
  if (findBackgroundBuild(dataFolderOf(io)) === undefined) {
    spawn(node, [program, "index", BACKGROUND_ACTION, ...roots], {
      detached: true,
      stdio: "ignore",
      windowsHide: true,
      env,
    })
      .on("error", () => undefined) // the next command tries again
      .unref();
  }
  return true;
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
  io.stderr(`indexing in the background${far}${left}; \`turnlog index status\` tells more\n`);
}
