import { main } from "../../src/cli/main.js";

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, with a captured world. */
export async function runCli(args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  const exitCode = await main(args, {
    stdout: (text) => {
      stdout += typeof text === "string" ? text : Buffer.from(text).toString();
    },
    stderr: (text) => {
      stderr += text;
    },
    env: { ...process.env, ...env },
    platform: process.platform,
    cwd: process.cwd(),
    isTerminal: false,
    columns: 100,
  });
  return { exitCode, stdout, stderr };
}
