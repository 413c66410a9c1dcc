import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const INSTALL = "apt-get update && apt-get install -y chromium";

/** `TURNLOG_CHROMIUM`, else one in the PATH, else Debian's, which root may install. */
export function findChromium(): string {
  const known = process.env["TURNLOG_CHROMIUM"] ?? inPath();
  if (known !== undefined) return known;
  if (!isRoot() || !existsSync("/etc/debian_version")) {
    throw new Error(`these tests need Chromium: ${INSTALL}, or name one in TURNLOG_CHROMIUM`);
  }
  execFileSync("sh", ["-c", INSTALL], { stdio: "inherit" });
  const installed = inPath();
  if (installed === undefined) throw new Error(`no chromium in the PATH after ${INSTALL}`);
  return installed;
}

/** Chromium refuses its sandbox to root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function inPath(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "chromium")).find((path) => existsSync(path));
}
