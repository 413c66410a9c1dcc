import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A process that runs until the test ends; returns its pid. */
export function liveProcess(): number {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}

/** Field 22 of `/proc/<pid>/stat`. */
function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** As Claude Code names the machine and container of this process. */
function pidDomain(): string {
  const machine = readFileSync("/etc/machine-id", "utf8").trim();
  return `linux:${machine}:${readlinkSync("/proc/self/ns/pid")}`;
}

/** Writes `sessions/<pid>.json` as a client in this container would. */
export function register(root: string, pid: number, entry: Readonly<Record<string, unknown>>): void {
  const own = { pid, procStart: startOf(pid), pidDomain: pidDomain(), kind: "interactive", version: "2.1.326" };
  mkdirSync(join(root, "sessions"), { recursive: true });
  writeFileSync(join(root, "sessions", `${pid}.json`), JSON.stringify({ ...own, ...entry }));
}
