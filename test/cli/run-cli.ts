import { Readable } from "node:stream";
import type { Io, Pager, PagerCommand } from "../../src/cli/io.js";
import { main, toWarning } from "../../src/cli/main.js";

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliWorld {
  readonly cwd?: string;
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly stdin?: string;
  /** Asks a command that runs on to end. */
  readonly interrupt?: AbortSignal;
  /** Called with all that was written so far. */
  /** Without it no pager can be started. */
  readonly startPager?: (command: PagerCommand) => Pager;
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
}

export interface CapturedWorld {
  readonly io: Io;
  written(): Omit<CliResult, "exitCode">;
}

/** Runs a command in this process, with a captured world. */
export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  world: CliWorld = {},
): Promise<CliResult> {
  const { io, written } = captureWorld(env, world);
  const exitCode = await main(args, io);
  return { exitCode, ...written() };
}

export function captureWorld(
  env: Record<string, string> = {},
  {
    cwd = process.cwd(),
    isTerminal = false,
    columns = 100,
    interrupt,
    onStdout,
    onStderr,
    startPager,
    stdin = "",
  }: CliWorld = {},
): CapturedWorld {
  const printed: Buffer[] = [];
  let stderr = "";
  const io: Io = {
    stdin: () => Readable.from(stdin === "" ? [] : [stdin]),
    stdout: (text) => {
      printed.push(Buffer.from(text));
      onStdout?.(Buffer.concat(printed).toString());
    },
    stderr: (text) => {
      stderr += text;
      onStderr?.(stderr);
    },
    warn: (message) => io.stderr(toWarning(message)),
    startPager: async (command) => startPager?.(command) ?? null,
    onInterrupt: (listener) => {
      interrupt?.addEventListener("abort", listener);
      return () => interrupt?.removeEventListener("abort", listener);
    },
    env: { ...process.env, ...env },
    platform: process.platform,
    cwd,
    isTerminal,
    columns,
  };
  return { io, written: () => ({ stdout: Buffer.concat(printed).toString(), stderr }) };
}
