import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, UserError } from "../../errors.js";
import type { LiveRow, LiveView } from "./view-live.js";

/** Finds the running session that is named by its id or the beginning of it. */
export function findLive(name: string, rows: readonly LiveRow[]): LiveRow {
  const matches = rows.filter(({ id, process }) => process !== null && id.startsWith(name));
  const [only] = matches;
  if (only && matches.length === 1 && name !== "") return only;
  const running = rows.flatMap(({ id, process }) => (process ? [id.slice(0, 8)] : []));
  const hint = running.length === 0 ? "no session runs on this machine" : `running are ${running.join(", ")}`;
  if (matches.length > 1) throw new UserError("ambiguous", `several running sessions begin with "${name}"`, hint);
  throw new UserError("not-found", `no running session is called "${name}"`, hint);
}

export interface StopOptions {
  /** Ends a process that does not end by itself. */
  readonly force: boolean;
}

/** How long a process may take to end: it writes its last records. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 50;

/** Ends the process of a session, after making sure that it is still that of the session. */
export async function stopLive(row: LiveRow, view: LiveView, { force }: StopOptions): Promise<"stopped" | "killed"> {
  const pid = processOf(row, view);
  signal(pid, "SIGTERM");
  if (await isGone(row, view)) return "stopped";
  if (!force)
    throw new UserError("busy", `process ${pid} of session ${row.id} does not end`, "end it for certain with --force");
  signal(processOf(row, view), "SIGKILL");
  await isGone(row, view);
  return "killed";
}

function processOf({ id }: LiveRow, view: LiveView): number {
  const process = view.look().find((row) => row.id === id)?.process;
  if (!process) throw new UserError("not-found", `session ${id} does not run any more`, "nothing was stopped");
  if (process.certain) return process.pid;
  const hint = "stop it where it runs";
  throw new UserError("busy", `session ${id} may run on another machine or in another container`, hint);
}

async function isGone({ id }: LiveRow, view: LiveView): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    await sleep(LOOK_MS);
    if (!view.look().some((row) => row.id === id && row.process !== null)) return true;
  }
  return false;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) === "ESRCH") return;
    if (errorCode(error) !== "EPERM") throw error;
    throw new UserError("unreadable", `process ${pid} belongs to another user`, "stop it as that user", {
      cause: error,
    });
  }
}
