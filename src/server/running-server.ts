import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, isFileError, readText, reasonOf, UserError } from "../errors.js";
import { isObject, stringAt, tryParseJson } from "../format/json.js";
import { atomicWrite } from "../store/atomic-write.js";
import { ensureDataDir } from "../store/data-dir.js";
import { adviceAbout, tryLock } from "../store/lock.js";
import { isDead, ownIdentity, type ProcessIdentity } from "../store/process-identity.js";
import { reachableName } from "./access/allowed-hosts.js";
import { TOKEN_HEADER } from "./access/guard.js";
import type { StartAnswer } from "./api/start.js";

/** How to reach a running server. */
export interface ServerState {
  readonly process: ProcessIdentity;
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

/** The lock of the one server for a set of roots. */
export interface ServerPlace {
  announce(state: Omit<ServerState, "process">): void;
  leave(): void;
}

/**
 * One server per set of roots, so that the demo and your own sessions can be served at once. Undefined: another one has the place.
 * Where the data folder cannot be written, the server runs all the same, and no other command finds it.
 */
export function takePlace(
  dataFolder: string,
  roots: readonly string[],
  onNote: (text: string) => void,
): ServerPlace | undefined {
  const attempt = <T>(write: () => T): T | "failed" => {
    try {
      return write();
    } catch (error) {
      if (!isFileError(error) && !(error instanceof UserError)) throw error;
      onNote(`the data folder cannot be written (${reasonOf(error)}): another \`turnlog open\` will not find this one`);
      return "failed";
    }
  };
  const taken = attempt(() => {
    const path = statePath(dataFolder, roots);
    const lock = tryLock(lockPath(path), { purpose: "serving the web UI" });
    return lock && { path, lock };
  });
  if (taken === "failed") return { announce() {}, leave() {} };
  if (!taken) return undefined;
  const { path, lock } = taken;
  return {
    // The file holds the token; `atomicWrite` makes it readable by its owner only.
    announce: (state) => attempt(() => atomicWrite(path, `${JSON.stringify({ process: ownIdentity(), ...state })}\n`)),
    leave() {
      rmSync(path, { force: true });
      lock.release();
    },
  };
}

const PATIENCE_MS = 3000;
const PAUSE_MS = 50;
const ANSWER_MS = 2000;

/** The server that holds the lock, once it answers; undefined when it does not. */
export async function findRunning(dataFolder: string, roots: readonly string[]): Promise<ServerState | undefined> {
  const path = statePath(dataFolder, roots);
  const deadline = performance.now() + PATIENCE_MS;
  do {
    const state = readState(path);
    if (state && !isDead(state.process) && (await answers(state))) return state;
    await sleep(PAUSE_MS);
  } while (performance.now() < deadline);
  return undefined;
}

/** What to do about a server that does not answer, if it is known. */
export function adviceAboutPlace(dataFolder: string, roots: readonly string[]): string {
  return adviceAbout(lockPath(statePath(dataFolder, roots)));
}

const lockPath = (path: string) => `${path}.lock`;

function statePath(dataFolder: string, roots: readonly string[]): string {
  const name = createHash("sha256").update(roots.join("\n")).digest("hex").slice(0, 12);
  return join(ensureDataDir(dataFolder, "locks"), `server-${name}.json`);
}

function readState(path: string): ServerState | undefined {
  try {
    const state = tryParseJson(readText(path));
    const isWhole = isObject(state) && isObject(state["process"]) && stringAt(state, "token") !== undefined;
    return isWhole ? (state as unknown as ServerState) : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The port may belong to another program by now, so the process id must match. */
async function answers({ host, port, token, process: { pid } }: ServerState): Promise<boolean> {
  try {
    const response = await fetch(`http://${reachableName(host)}:${port}/api/start`, {
      headers: { [TOKEN_HEADER]: token },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return response.ok && ((await response.json()) as StartAnswer).pid === pid;
  } catch {
    return false; // no server, or not yet
  }
}
