import { main } from "../../src/cli/main.js";

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliWorld {
  readonly cwd?: string;
  readonly isTerminal?: boolean;
  readonly columns?: number;
}

/** Runs a command in this process, with a captured world. */
export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  { cwd = process.cwd(), isTerminal = false, columns = 100 }: CliWorld = {},
): Promise<CliResult> {
  const written: Buffer[] = [];
  let stderr = "";
  const exitCode = await main(args, {
    stdout: (text) => {
      written.push(Buffer.from(text));
    },
    stderr: (text) => {
      stderr += text;
    },
    env: { ...process.env, ...env },
    platform: process.platform,
    cwd,
    isTerminal,
    columns,
  });
  return { exitCode, stdout: Buffer.concat(written).toString(), stderr };
}
