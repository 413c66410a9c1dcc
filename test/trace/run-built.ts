import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

const BIN = resolve(import.meta.dirname, "..", "..", "dist", "bin.js");

export interface BuiltResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built turnlog as a process of its own. */
export async function runBuilt(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  stdin = "",
  cwd = process.cwd(),
): Promise<BuiltResult> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env: { ...process.env, ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => undefined); // it may end without reading
  child.stdin.end(stdin);
  const [exitCode] = await once(child, "close");
  return { exitCode, stdout, stderr };
}
