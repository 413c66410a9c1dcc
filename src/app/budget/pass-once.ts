import { existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../errors.js";
import { ensureDataDir } from "../../store/data-dir.js";

/*
 * A person lets one prompt pass, with all tool calls that it causes. The file that says so is renamed to the session that takes
 * it, so that of several sessions one gets it, and removed with the next prompt of that session.
 */
const GRANTED = "pass";
/** Nobody remembers it longer. */
const VALID_MS = 24 * 3_600_000;

export function grantPass(dataFolder: string): void {
  writeFileSync(join(ensureDataDir(dataFolder, "budget"), GRANTED), "", { mode: 0o600 });
}

function isPassGranted(dataFolder: string): boolean {
  const granted = statSync(join(dataFolder, "budget", GRANTED), { throwIfNoEntry: false });
  return granted !== undefined && granted.mtimeMs > Date.now() - VALID_MS;
}

/** Whether the session had one, or there was one for it. */
export function takePass(dataFolder: string, session: string): boolean {
  const own = passOf(dataFolder, session);
  if (existsSync(own)) return true;
  if (!isPassGranted(dataFolder)) return false;
  try {
    renameSync(join(dataFolder, "budget", GRANTED), own);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false; // another session was faster
    throw error;
  }
}

export function endPass(dataFolder: string, session: string): void {
  rmSync(passOf(dataFolder, session), { force: true });
}

function passOf(dataFolder: string, session: string): string {
  return join(dataFolder, "budget", `${GRANTED}-${session.replaceAll(/[^\w-]/g, "_").slice(0, 100)}`);
}
