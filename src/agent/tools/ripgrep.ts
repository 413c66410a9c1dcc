import { spawn } from "node:child_process";
import { rgPath } from "@vscode/ripgrep";
import { ToolError } from "./tool.js";

const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

export interface Searched {
  readonly lines: readonly string[];
  /** It found more than was taken. */
  readonly isCut: boolean;
}

/** Runs ripgrep without a configuration file. Finding nothing is no error. */
export function runRipgrep(args: readonly string[], cwd: string, signal: AbortSignal): Promise<Searched> {
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, ["--no-config", ...args], { cwd, stdio: ["ignore", "pipe", "pipe"], signal });
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS);
    const pieces: Buffer[] = [];
    let size = 0;
    let problem = "";
    child.stdout.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size <= MAX_BYTES) pieces.push(piece);
      else child.kill();
    });
    child.stderr.on("data", (piece: Buffer) => {
      problem = (problem + piece.toString()).slice(0, 2_000);
    });
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(new ToolError(`The search could not be run: ${error.message}`));
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      const lines = Buffer.concat(pieces)
        .toString()
        .split("\n")
        .filter((line) => line !== "");
      // Code 2 with output: some files could not be read, the others were.
      if (code === 2 && lines.length === 0) reject(new ToolError(problem.trim() || "The search failed."));
      else resolve({ lines, isCut: size > MAX_BYTES || code === null });
    });
  });
}
