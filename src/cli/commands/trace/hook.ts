import type { Command } from "commander";
import { dataFolderOf } from "../../../app/settings.js";
import { BUDGET_EVENTS, logTrace, parseHookInput, spoolEvent } from "../../../trace/hook/spool.js";
import type { Io } from "../../io.js";
import { startDetached } from "../../start-detached.js";
import { readPiped } from "../../terminal/read-piped.js";

const PATIENCE_MS = 5000;

/** Claude Code acts on a hook's output and exit code: it prints what budgets have to say, else nothing, and always returns 0. */
export async function runAtOnce(io: Io, args: readonly string[]): Promise<number> {
  try {
    await takeEvent(io, { isSync: args.includes("--sync"), isPlugin: args.includes("--plugin") });
  } catch (error) {
    tryToLog(dataFolderOf(io), `hook: ${error instanceof Error ? error.message : error}`);
  }
  return 0;
}

export function define(command: Command): void {
  command.allowUnknownOption().allowExcessArguments();
}

interface HookMode {
  /** Everything is sent when it ends, for containers that end with Claude Code. */
  readonly isSync: boolean;
  /** The hook of the plugin. */
  readonly isPlugin: boolean;
}

async function takeEvent(io: Io, { isSync, isPlugin }: HookMode): Promise<void> {
  const dir = dataFolderOf(io);
  const text = await readPiped(io.stdin(), PATIENCE_MS);
  if (isPlugin && !(await import("./plugin-hook.js")).isForPlugin(text, io)) return;
  if (BUDGET_EVENTS.some((name) => text.includes(`"${name}"`))) {
    const { answerBudgetHook } = await import("../budget/answer-hook.js");
    if (await answerBudgetHook(text, io)) return;
  }
  const event = parseHookInput(text, Date.now(), io.env["TRACEPARENT"]);
  if (!event) return logTrace(dir, `hook: standard input names no transcript (${text.length} characters)`);
  spoolEvent(dir, event);
  if (!isSync) return startTraceWorker(io);
  const { runTraceWorker } = await import("../../../app/trace/trace-queue.js");
  await runTraceWorker(0, io);
}

/** If the log cannot be written either, there is nowhere to report it. */
function tryToLog(dir: string, message: string): void {
  try {
    logTrace(dir, message);
  } catch {
    return;
  }
}

/** Starts a separate process that stores and sends, and outlives this one. */
export function startTraceWorker(io: Io): void {
  startDetached(["trace", "work"], io); // where it cannot start, what is spooled waits for the next hook
}
