import { hash } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { errorCode, readIfReadable } from "../errors.js";

/** Identifies a process on one of the machines that share a folder: pids are reused. Fields that the platform does not provide are empty. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  /** A pid from another namespace (a container with the same folder) means nothing here. */
  readonly pidNamespace: string;
  readonly host: string;
  /** Digest of the machine id: machines may have the same name. */
  readonly machine: string;
}

export function ownIdentity(): ProcessIdentity {
  cachedIdentity ??= {
    pid: process.pid,
    start: processStart(process.pid) ?? "",
    boot: bootId(),
    pidNamespace: pidNamespace(),
    host: hostname(),
    machine: digestOf(readIfReadable("/etc/machine-id")?.trim() ?? ""),
  };
  return cachedIdentity;
}

/**
 * True only when it is certain; otherwise the process counts as alive. `since`: when it was last known to run, in ms since
 * the epoch.
 */
export function isDead(other: ProcessIdentity, since = Number.POSITIVE_INFINITY): boolean {
  return isDeadBeside(ownIdentity(), other, since, processStart);
}

/** False where another machine or another container runs it, so that nothing here tells whether it still runs. */
export function isVisible(other: ProcessIdentity): boolean {
  const own = ownIdentity();
  return isHere(own, other) && !differs(other.pidNamespace, own.pidNamespace);
}

/** The identity of this process as part of a file name; never empty, only letters, digits and hyphens. */
export function ownTag(): string {
  cachedTag ??= tagOf(digested(ownIdentity()));
  return cachedTag;
}

let cachedTag: string | undefined;

function tagOf({ pid, start, boot, pidNamespace, host, machine }: ProcessIdentity): string {
  return [pid, ...[start, boot, pidNamespace, host, machine].map((field) => field || "0")].join("-");
}

export const TAG_PATTERN = /\d+(?:-[0-9a-f]{1,6}){5}/;

/** The same as `isDead` for a process that is known by its tag. */
export function isDeadTag(tag: string, since: number): boolean {
  const [pid, ...fields] = tag.split("-");
  const [start = "", boot = "", pidNamespace = "", host = "", machine = ""] = fields.map((field) =>
    field === "0" ? "" : field,
  );
  const other = { pid: Number(pid), start, boot, pidNamespace, host, machine };
  return isDeadBeside(digested(ownIdentity()), other, since, (of) => {
    const current = processStart(of);
    return current === undefined ? undefined : digestOf(current);
  });
}

function digested({ pid, start, boot, pidNamespace, host, machine }: ProcessIdentity): ProcessIdentity {
  const [a, b, c, d, e] = [start, boot, pidNamespace, host, machine].map(digestOf);
  return { pid, start: a ?? "", boot: b ?? "", pidNamespace: c ?? "", host: d ?? "", machine: e ?? "" };
}

function digestOf(text: string): string {
  return text === "" ? "" : hash("sha1", text).slice(0, 6);
}

function isDeadBeside(
  own: ProcessIdentity,
  other: ProcessIdentity,
  since: number,
  startOf: (pid: number) => string | undefined,
): boolean {
  // A boot id is unique. Another one is an earlier boot of this machine or any boot of another machine, whose processes cannot be seen.
  if (differs(other.boot, own.boot)) return isSameMachine(other, own) && since < Date.now() - uptime() * 1000;
  if (!isHere(own, other)) return false;
  if (differs(other.pidNamespace, own.pidNamespace)) return false;
  if (!isRunning(other.pid)) return true;
  const start = startOf(other.pid);
  return start === undefined || differs(other.start, start);
}

/** On this machine, in this boot. */
function isHere(own: ProcessIdentity, other: ProcessIdentity): boolean {
  return isSame(other.boot, own.boot) || (!differs(other.boot, own.boot) && isSameMachine(other, own));
}

let cachedIdentity: ProcessIdentity | undefined;

const differs = (recorded: string, current: string) => recorded !== "" && current !== "" && recorded !== current;
const isSame = (recorded: string, current: string) => recorded !== "" && recorded === current;

function isSameMachine(other: ProcessIdentity, own: ProcessIdentity): boolean {
  return isSame(other.host, own.host) && (other.machine ?? "") === own.machine;
}

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
    const line = ask("ps", ["-o", "stat=", "-o", "lstart=", "-p", `${pid}`], env);
    const [state = "", ...start] = line.trim().split(/\s+/);
    return { state, start: start.join(" ") };
  } catch {
    return UNKNOWN; // the process ended, or there is no ps
  }
}

/** What starts programs is loaded here only: Linux needs none, and every command loads this file. */
function ask(program: string, args: readonly string[], env = process.env): string {
  return process.getBuiltinModule("node:child_process").execFileSync(program, args, { encoding: "utf8", env });
}

function bootId(): string {
  if (process.platform !== "darwin") return readIfReadable("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  try {
    return ask("sysctl", ["-n", "kern.bootsessionuuid"]).trim();
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

/** Whether a process was suspended, as by Ctrl-Z. */
export function isSuspended(pid: number): boolean {
  if (process.platform === "win32") return false;
  const { state } = process.platform === "linux" ? readProcStat(pid) : askPs(pid);
  return state.startsWith("T");
}

/** Empty where the system does not tell. */
export function startOfProcess(pid: number): string {
  return processStart(pid) ?? "";
}

/** Larger numbers are refused by `process.kill`. */
const MAX_SIGNALLED_PID = 0x7fff_ffff;

/** Machine and namespace of pids, as Claude Code 2.1.326 writes them; undefined where they cannot be read. */
export function ownPidDomain(): string | undefined {
  const namespace = pidNamespace();
  const machine = (readIfReadable("/etc/machine-id") ?? readIfReadable("/var/lib/dbus/machine-id"))?.trim();
  return namespace === "" || !machine ? undefined : `linux:${machine}:${namespace}`;
}
