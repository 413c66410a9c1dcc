import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const INSTALL = "apt-get update && apt-get install --yes --no-install-recommends bubblewrap";

/** The sandbox is tested with a real one: installed where that is possible, else asked for. */
export function requireBubblewrap(): void {
  if (spawnSync("bwrap", ["--version"]).status === 0) return;
  const mayInstall = process.getuid?.() === 0 && existsSync("/etc/debian_version");
  if (!mayInstall) throw new Error(`these tests need bubblewrap on Linux: sudo sh -c '${INSTALL}'`);
  execFileSync("sh", ["-c", INSTALL], { stdio: "ignore" });
}
