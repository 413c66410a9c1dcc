import type { Command } from "commander";
import type { Io } from "../../app/io.js";
import { settingsFolder } from "../../app/settings.js";
import { parseHookInput, spoolEvent } from "../../trace/spool.js";
import { logTrace } from "../../trace/trace-log.js";
import { readPiped } from "../read-piped.js";
import { startTraceWorker } from "../trace/trace-worker.js";

const PATIENCE_MS = 5000;

/** A client takes what a hook prints, and how it ends, as orders: so it prints nothing and always ends well. */
export async function runAtOnce(io: Io): Promise<number> {
  try {
    await takeEvent(io);
  } catch (error) {
    tryToLog(settingsFolder(io), `hook: ${error instanceof Error ? error.message : error}`);
  }
  return 0;
}

export function define(command: Command): void {
  command.allowUnknownOption().allowExcessArguments();
}

async function takeEvent(io: Io): Promise<void> {
  const dir = settingsFolder(io);
  const text = await readPiped(io.stdin(), PATIENCE_MS);
  const event = parseHookInput(text, Date.now());
  if (!event) return logTrace(dir, `hook: standard input names no transcript (${text.length} characters)`);
  spoolEvent(dir, event);
  startTraceWorker(io);
}

/** Where not even this can be written, nobody is left to tell. */
function tryToLog(dir: string, message: string): void {
  try {
    logTrace(dir, message);
  } catch {
    return;
  }
}
