import { execFileSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { errorCode, readIfReadable } from "../errors.js";

/** Identifies a process: pids are reused. Fields that the platform does not provide are empty. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  /** A pid from another namespace (a container with the same folder) means nothing here. */
  readonly pidNamespace: string;
}

export function ownIdentity(): ProcessIdentity {
  cachedIdentity ??= {
    pid: process.pid,
    start: processStart(process.pid) ?? "",
    boot: bootId(),
    pidNamespace: pidNamespace(),
  };
  return cachedIdentity;
}

/** True only when it is certain; otherwise the process counts as alive. */
export function isDead(other: ProcessIdentity): boolean {
  const own = ownIdentity();
  if (differs(other.boot, own.boot)) return true;
  if (differs(other.pidNamespace, own.pidNamespace)) return false;
  if (!isRunning(other.pid)) return true;
  const start = processStart(other.pid);
  return start === undefined || differs(other.start, start);
}

let cachedIdentity: ProcessIdentity | undefined;

const differs = (recorded: string, current: string) => recorded !== "" && current !== "" && recorded !== current;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH"; // EPERM: runs as another user
  }
}

/** Undefined: the process ended and waits for its parent (zombie). Empty: it is hidden, or just ended. */
function processStart(pid: number): string | undefined {
  if (process.platform === "win32") return "";
  const { state, start } = process.platform === "linux" ? readProcStat(pid) : askPs(pid);
  return ["Z", "X"].includes(state.charAt(0)) ? undefined : start;
}

interface ProcessState {
  readonly state: string;
  readonly start: string;
}

const UNKNOWN: ProcessState = { state: "", start: "" };

function readProcStat(pid: number): ProcessState {
  const stat = readIfReadable(`/proc/${pid}/stat`);
  if (!stat) return UNKNOWN;
  // Field 2 is the command's name in parentheses, which may itself contain spaces and parentheses.
  const fieldsFrom3 = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fieldsFrom3[0] ?? "", start: fieldsFrom3[22 - 3] ?? "" };
}

function askPs(pid: number): ProcessState {
  try {
    // lstart is printed in local time and language, so both are fixed.
    const env = { ...process.env, TZ: "UTC", LC_ALL: "C" };
    const line = execFileSync("ps", ["-o", "stat=", "-o", "lstart=", "-p", `${pid}`], { encoding: "utf8", env });
    const [state = "", ...start] = line.trim().split(/\s+/);
    return { state, start: start.join(" ") };
  } catch {
    return UNKNOWN; // the process ended, or there is no ps
  }
}

function bootId(): string {
  if (process.platform !== "darwin") return readIfReadable("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  try {
    return execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
  } catch {
    return ""; // pid and start time still identify processes
  }
}

function pidNamespace(): string {
  try {
    return process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "";
  } catch {
    return ""; // no /proc, or hidden
  }
}

/** Whether a process of this number runs here and, where the system tells, started then. */
export function isAlive(pid: number, start: string): boolean {
  if (pid > MAX_SIGNALLED_PID || !isRunning(pid)) return false;
  const current = processStart(pid);
  return current !== undefined && !differs(start, current);
}

/** Larger numbers are refused by `process.kill`. */
const MAX_SIGNALLED_PID = 0x7fff_ffff;

/** Machine and namespace of pids, as Claude Code 2.1.326 writes them; undefined where they cannot be read. */
export function ownPidDomain(): string | undefined {
  const namespace = pidNamespace();
  const machine = (readIfReadable("/etc/machine-id") ?? readIfReadable("/var/lib/dbus/machine-id"))?.trim();
  return namespace === "" || !machine ? undefined : `linux:${machine}:${namespace}`;
}
