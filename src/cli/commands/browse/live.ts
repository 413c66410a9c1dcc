import { type Command, Option } from "commander";
import { maskingRedactor } from "../../../app/redaction.js";
import type { RootOptions } from "../../../app/session-roots.js";
import { UserError } from "../../../errors.js";
import type { CommandContext } from "../../io.js";
import { collect } from "../../options/filter-options.js";
import type { LiveCommandOptions } from "../../report/print-live.js";

interface Options extends RootOptions {
  readonly watch?: boolean;
  readonly interval: string;
  readonly recent: string;
  readonly notify?: readonly string[];
  readonly notifyCommand?: string;
  readonly limit?: string;
  readonly rateLimit?: string;
  readonly stop?: string;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly reveal?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
The state comes from what each process of Claude Code 2.1.326 or newer registers about itself. For older versions only the files are
read: a session that was just written counts as working, and that it waits for you cannot be seen.

Notifications: a session begins to wait, fails, ends, or spends more than a limit. A command gets it in
TURNLOG_EVENT (waiting, stuck, failed, finished, overspent), TURNLOG_SESSION, TURNLOG_TITLE, TURNLOG_PROJECT and TURNLOG_TEXT.

Examples:
  turnlog live                                   what runs now, and what waits for you
  turnlog live --watch --notify desktop          keep watching, and tell me when a session waits
  turnlog live --watch --limit 20 --notify-command 'curl -d "$TURNLOG_TEXT" ntfy.sh/me'
  turnlog live --stop 611dbd00                   end a session that runs away`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .option("--watch", "keep watching: redraw on a terminal, else print one line for each change")
    .option("--interval <seconds>", "how often to look, with --watch", "1")
    .option("--recent <minutes>", "also show sessions that ended this recently", "10")
    .addOption(
      new Option("--notify <how>", "with --watch, report changes: bell, desktop; can be repeated").argParser(collect),
    )
    .option("--notify-command <command>", "with --watch, run this on a change")
    .option("--limit <usd>", "report a session that spent more than this in all")
    .option("--rate-limit <usd>", "report a session that spends more than this in a minute")
    .addOption(new Option("--stop <session>", "end the process of a session, after showing it").conflicts("watch"))
    .option("--force", "with --stop: kill a process that does not end within 10 seconds")
    .option("--yes", "with --stop: do not ask")
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "print JSON; with --watch, one line for each look that found a change")
    .addHelpText("after", EXAMPLES)
    .action(async (options: Options) => {
      const checked = toLiveOptions(options);
      const clean = options.reveal ? <Value>(value: Value) => value : (await maskingRedactor(io)).json;
      const { printLive } = await import("../../report/print-live.js");
      await printLive({ ...checked, clean }, io);
    });
}

function toLiveOptions(options: Options): Omit<LiveCommandOptions, "clean"> {
  const { notify = [], notifyCommand, watch = false, limit, rateLimit, stop, configDir, demo } = options;
  const unknown = notify.find((how) => how !== "bell" && how !== "desktop");
  if (unknown !== undefined)
    throw new UserError(
      "usage",
      `--notify must be bell or desktop, not "${unknown}"`,
      "for a command use --notify-command",
    );
  if (!watch && (notify.length > 0 || notifyCommand !== undefined))
    throw new UserError("usage", "notifications need --watch", "turnlog live --watch --notify bell");
  return {
    ...(configDir === undefined ? {} : { configDir }),
    ...(demo === undefined ? {} : { demo }),
    watch,
    intervalMs: 1000 * positive("--interval", options.interval),
    recentMs: 60_000 * positive("--recent", options.recent),
    rings: notify.includes("bell"),
    notify: { desktop: notify.includes("desktop"), ...(notifyCommand === undefined ? {} : { command: notifyCommand }) },
    limits: {
      ...(limit === undefined ? {} : { totalUsd: positive("--limit", limit) }),
      ...(rateLimit === undefined ? {} : { perMinuteUsd: positive("--rate-limit", rateLimit) }),
    },
    ...(stop === undefined ? {} : { stop }),
    force: options.force ?? false,
    yes: options.yes ?? false,
    json: options.json ?? false,
  };
}

/** A timer of Node counts to about 24 days. */
const MAX_NUMBER = 2_000_000;

function positive(option: string, text: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number > 0 && number <= MAX_NUMBER) return number;
  throw new UserError("usage", `${option} must be a number above 0, not "${text}"`, `for example ${option} 5`);
}
