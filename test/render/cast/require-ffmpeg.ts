import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Videos are tested with a real encoder: installed where that is possible, else asked for. */
export function requireFfmpeg(): void {
  if (spawnSync("ffmpeg", ["-version"]).status === 0) return;
  const mayInstall = process.getuid?.() === 0 && existsSync("/etc/debian_version");
  if (!mayInstall) throw new Error("these tests need ffmpeg: sudo apt-get install ffmpeg, or brew install ffmpeg");
  execFileSync("apt-get", ["update"], { stdio: "ignore" });
  execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", "ffmpeg"], { stdio: "ignore" });
}
