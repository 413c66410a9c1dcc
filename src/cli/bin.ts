#!/usr/bin/env node
import { once } from "node:events";
import { main } from "./main.js";
import { startPager } from "./start-pager.js";

/** A reader that stops reading, such as `head`, is no error; a full disk is one that a person can fix. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`turnlog: cannot write the output: ${error.message}\n`);
  process.exit(1);
});

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** A pipe has no width: lines are whole there. */
const UNCUT_COLUMNS = 1000;
/** Some terminals do not tell theirs. */
const USUAL_COLUMNS = 80;

process.exitCode = await main(process.argv.slice(2), {
  stdin: () => process.stdin,
  stdout: (text) => {
    if (!process.stdout.write(text)) return once(process.stdout, "drain").then(() => undefined);
  },
  stderr: (text) => process.stderr.write(text),
  startPager,
  onInterrupt: (listener) => {
    for (const signal of STOP_SIGNALS) process.once(signal, listener);
    return () => {
      for (const signal of STOP_SIGNALS) process.off(signal, listener);
    };
  },
  env: process.env,
  platform: process.platform,
  cwd: process.cwd(),
  isTerminal: process.stdout.isTTY === true,
  columns: process.stdout.isTTY ? process.stdout.columns || USUAL_COLUMNS : UNCUT_COLUMNS,
});
