import { Readable } from "node:stream";
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
  /** Asks a command that runs on to end. */
  readonly interrupt?: AbortSignal;
  /** Called with all that was written so far. */
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
}

/** Runs a command in this process, with a captured world. */
export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  { cwd = process.cwd(), isTerminal = false, columns = 100, interrupt, onStdout, onStderr }: CliWorld = {},
): Promise<CliResult> {
  const written: Buffer[] = [];
  let stderr = "";
  const exitCode = await main(args, {
    stdin: () => Readable.from([]),
    stdout: (text) => {
      written.push(Buffer.from(text));
      onStdout?.(Buffer.concat(written).toString());
    },
    stderr: (text) => {
      stderr += text;
      onStderr?.(stderr);
    },
    onInterrupt: (listener) => {
      interrupt?.addEventListener("abort", listener);
      return () => interrupt?.removeEventListener("abort", listener);
    },
    env: { ...process.env, ...env },
    platform: process.platform,
    cwd,
    isTerminal,
    columns,
  });
  return { exitCode, stdout: Buffer.concat(written).toString(), stderr };
}
