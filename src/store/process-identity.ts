import { execFileSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { readIfReadable } from "../errors.js";
import { errorCode } from "./error-code.js";

/** Which process it is: a pid alone comes back for another one. What the platform cannot tell is an empty string. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  /** A pid from another namespace (a container on the same folder) says nothing here. */
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

/** True only when it is certain: whatever cannot be judged from here counts as alive. */
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
    return errorCode(error) !== "ESRCH"; // EPERM: it runs as another user
  }
}

/** undefined: the process has ended and only waits for its parent. Empty: it is hidden from us, or just went away. */
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
  // Field 2 is the command's name in parentheses, which may hold spaces and parentheses itself.
  const fieldsFrom3 = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fieldsFrom3[0] ?? "", start: fieldsFrom3[22 - 3] ?? "" };
}

function askPs(pid: number): ProcessState {
  try {
    // lstart is printed in local time and language: pinned, so that a journey does not change it.
    const env = { ...process.env, TZ: "UTC", LC_ALL: "C" };
    const line = execFileSync("ps", ["-o", "stat=", "-o", "lstart=", "-p", `${pid}`], { encoding: "utf8", env });
    const [state = "", ...start] = line.trim().split(/\s+/);
    return { state, start: start.join(" ") };
  } catch {
    return UNKNOWN; // no such process any more, or no ps
  }
}

function bootId(): string {
  if (process.platform !== "darwin") return readIfReadable("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  try {
    return execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
  } catch {
    return ""; // pid and start time still tell processes apart
  }
}

function pidNamespace(): string {
  try {
    return process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "";
  } catch {
    return ""; // no /proc, or one that hides it
  }
}
