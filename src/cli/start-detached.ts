import { spawn } from "node:child_process";
import type { Io } from "./io.js";

/** Runs a command of turnlog in a process that outlives this one, without a word; one that cannot start is not missed. */
export function startDetached(args: readonly string[], { env }: Pick<Io, "env">): void {
  const [node, program] = process.argv;
  if (node === undefined || program === undefined) return;
  spawn(node, [program, ...args], { detached: true, stdio: "ignore", windowsHide: true, env: { ...env } })
    .on("error", () => undefined)
    .unref();
}
