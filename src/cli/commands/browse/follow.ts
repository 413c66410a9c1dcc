import { type Command, Option } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { maskingRedactor } from "../../../app/redaction.js";
import { sessionRoots } from "../../../app/session-roots.js";
import { UserError } from "../../../errors.js";
import { sessionPaths } from "../../../format/layout/session-paths.js";
import { neutralize } from "../../../render/safe-text.js";
import { toText } from "../../../render/terminal/paint-text.js";
import { paintHeader } from "../../../render/terminal/session-text.js";
import { toSessionTotals } from "../../../session/session-spend.js";
import { followSessions } from "../../follow/follow-sessions.js";
import { jsonView, textView } from "../../follow/follow-view.js";
import type { CommandContext } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import type { ShowOptions } from "../../options/show-options.js";
import { toPaintOptions, withHighlighter } from "../../terminal/paint-options.js";

interface FollowCommandOptions
  extends Pick<ShowOptions, "tools" | "thinking" | "reveal" | "json" | "configDir" | "demo"> {
  readonly turns: string;
  readonly untilIdle?: string;
}

const EXAMPLES = `
Examples:
  turnlog follow                             the active session, from its latest turn on
  turnlog follow last --turns 5 --thinking   five turns first, with the model's thinking`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("[session]", `${SESSION} (default: the active session)`)
    .option("--turns <count>", "number of existing turns to print first", "1")
    .addOption(new Option("--thinking", "include the model's thinking").conflicts("json"))
    .addOption(new Option("--tools <how>", "tool calls: full, brief or none").default("brief").conflicts("json"))
    .option("--until-idle <seconds>", "stop after this many seconds without activity (default: never)")
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "print one JSON event per line")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string | undefined, options: FollowCommandOptions) => {
      const paint = await withHighlighter(toPaintOptions(options, io));
      const turns = parseNumber("--turns", options.turns, /^\d+$/);
      const untilIdleMs =
        1000 * parseNumber("--until-idle", options.untilIdle ?? "Infinity", /^(\d+(\.\d+)?|Infinity)$/);
      const roots = await sessionRoots(io, options);
      const load = await loadOptions(io);
      const path = name === undefined ? undefined : chooseSession(name, roots, io, load).open();
      const clean = options.reveal ? <Value>(value: Value) => value : (await maskingRedactor(io)).json;
      const view = options.json
        ? jsonView(clean, io)
        : textView(clean, { paint, prices: load.prices, isTerminal: io.isTerminal });
      const onNotice = (text: string) => io.stderr(neutralize(`${text}\n`));
      if (path === undefined) onNotice(`waiting for activity in ${roots.join(", ")}`);
      await followSessions(
        {
          path,
          roots,
          turns,
          untilIdleMs,
          view,
          load,
          heading: ({ header, outline, costs }) =>
            toText(paintHeader(clean(header, "session"), toSessionTotals(outline.totals, costs()), paint)),
          switching: (other) =>
            view.heading(`\n${paint.style.cyan(`══ session ${neutralize(sessionPaths(other).id)}`)}\n`),
          onNotice,
        },
        io,
      );
    });
}

function parseNumber(option: string, text: string, form: RegExp): number {
  if (form.test(text)) return Number(text);
  throw new UserError("usage", `${option} must be a number, not "${text}"`, `for example ${option} 3`);
}
