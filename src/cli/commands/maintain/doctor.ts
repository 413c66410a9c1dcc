import type { Command } from "commander";
import { runChecks } from "../../../app/check-setup.js";
import type { Check } from "../../../app/check-store.js";
import type { RootOptions } from "../../../app/session-roots.js";
import { checkTraces } from "../../../app/trace/check-traces.js";
import { createStyle } from "../../../render/terminal/style.js";
import type { CommandContext } from "../../io.js";
import { isColoured } from "../../terminal/is-coloured.js";
import { printedJson } from "../../terminal/printed-json.js";

interface DoctorOptions extends RootOptions {
  readonly json?: boolean;
  readonly fix?: boolean;
}

const MARKS = { ok: "ok", warning: "!", failed: "x" } as const;

const EXAMPLES = `
Examples:
  turnlog doctor         what works, what does not, and what to do
  turnlog doctor --fix   repair turnlog's own databases`;

export function define(command: Command, context: CommandContext): void {
  command
    .option("--fix", "set damaged databases aside, and restore or make them again")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (options: DoctorOptions) => {
      const { io } = context;
      const own = await runChecks(io, options);
      // Reading a damaged outbox would mend it, which only --fix may do.
      const isOutboxWhole = !own.some(({ name, state }) => name === "outbox.db" && state === "failed");
      const checks = [...own, ...(isOutboxWhole ? await checkTraces(io) : [])];
      context.exitCode = checks.some(({ state }) => state === "failed") ? 1 : 0;
      if (options.json) return io.stdout(printedJson({ checks }, io));
      const style = createStyle(isColoured(io));
      const paint = { ok: style.green, warning: style.yellow, failed: style.red };
      const width = Math.max(...checks.map(({ name }) => name.length));
      const toLine = ({ name, state, found, hint }: Check) =>
        `${paint[state](MARKS[state].padEnd(2))}  ${name.padEnd(width)}  ${found}\n${hint === undefined ? "" : `    ${" ".repeat(width)}  ${hint}\n`}`;
      await io.stdout(checks.map(toLine).join(""));
    });
}
