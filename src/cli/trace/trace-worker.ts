import { spawn } from "node:child_process";
import type { Io } from "../../app/io.js";

/** A process of its own that stores and sends, however soon this one ends. */
export function startTraceWorker({ env }: Io): void {
  const [node, program] = process.argv;
  if (node === undefined || program === undefined) return;
  spawn(node, [program, "trace", "work"], { detached: true, stdio: "ignore", windowsHide: true, env: { ...env } })
    .on("error", () => undefined) // what is spooled waits for the next hook
    .unref();
}
