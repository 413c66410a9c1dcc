#!/usr/bin/env node
import { once } from "node:events";
import module from "node:module";
import { homeFolder } from "../own-user.js";

/** From Node 22 on, compiled code is cached between starts. */
const { enableCompileCache } = module as { readonly enableCompileCache?: () => void };
enableCompileCache?.();
const { asksOnly, isHook, main, toWarning } = await import("./main.js");
const cwd = currentFolder();
const args = process.argv.slice(2);
if (!asksOnly(args) && !isHook(args)) await sweepLeftovers();

/** A closed terminal also sends a signal, which ends everything cleanly. */
const isHangup = ({ code }: NodeJS.ErrnoException, { isTTY }: { readonly isTTY?: boolean }) =>
  code === "EIO" && isTTY === true;

/** Listeners of long-running commands that clean up when interrupted. */
const interruptible = new Set<() => void>();

/** A reader that stops, such as `head`, is not an error; a full disk is reported to the user. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (isHangup(error, process.stdout)) return;
  if (error.code === "EPIPE") {
    if (interruptible.size === 0) process.exit(0);
    for (const interrupt of interruptible) interrupt();
    return;
  }
  process.stderr.write(`turnlog: cannot write the output: ${error.message}\n`);
  process.exit(1);
});

process.stderr.on("error", (error: NodeJS.ErrnoException) => {
  if (!isHangup(error, process.stderr) && error.code !== "EPIPE") throw error;
});

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A pipe has no width: lines are not cut. */
const UNCUT_COLUMNS = 1000;
/** For terminals that do not report their width. */
const USUAL_COLUMNS = 80;

process.exitCode = await main(args, {
  stdin: () => process.stdin,
  stdout: (text) => {
    if (process.stdout.destroyed || process.stdout.write(text)) return;
    return once(process.stdout, "drain").then(
      () => undefined,
      () => undefined, // reported by the error event
    );
  },
  stderr: (text) => process.stderr.write(text),
  warn: (message) => process.stderr.write(toWarning(message)),
  startPager: async (command) => (await import("./terminal/start-pager.js")).startPager(command),
  onInterrupt: (listener) => {
    for (const signal of STOP_SIGNALS) process.once(signal, listener);
    interruptible.add(listener);
    return () => {
      interruptible.delete(listener);
      for (const signal of STOP_SIGNALS) process.off(signal, listener);
    };
  },
  env: process.env,
  platform: process.platform,
  cwd,
  isTerminal: process.stdout.isTTY === true,
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns || USUAL_COLUMNS : UNCUT_COLUMNS;
  },
  get rows() {
    return process.stdout.isTTY ? process.stdout.rows : undefined;
  },
});

/** What killed processes left behind. */
async function sweepLeftovers(): Promise<void> {
  const [{ sweepLeftovers }, { removeDeadLocks }, { endLeftChildren }, { dataDir }] = await Promise.all([
    import("../store/temporary.js"),
    import("../store/lock.js"),
    import("../store/child-register.js"),
    import("../store/data-dir.js"),
  ]);
  const dataFolder = dataDir(process.env, process.platform, homeFolder());
  sweepLeftovers(dataFolder);
  removeDeadLocks(dataFolder);
  endLeftChildren(dataFolder);
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write("turnlog: the current folder does not exist any more\n  change to another one\n");
    process.exit(1);
  }
}
