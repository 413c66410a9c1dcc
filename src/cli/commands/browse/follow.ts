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
import { followSessions } from "../../follow/follow-sessions.js";
import { jsonView, textView } from "../../follow/follow-view.js";
import type { CommandContext } from "../../io.js";
import type { ShowOptions } from "../../options/show-options.js";
import { toPaintOptions, withHighlighter } from "../../terminal/paint-options.js";

interface FollowCommandOptions
  extends Pick<ShowOptions, "tools" | "thinking" | "reveal" | "json" | "configDir" | "demo"> {
  readonly turns: string;
  readonly untilIdle?: string;
}

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument(
      "[session]",
      "file path, id, unique id prefix, exact title, or `last`; without it, whichever is written to",
    )
    .option("--turns <count>", "so many of the turns that are there at first", "1")
    .addOption(new Option("--thinking", "the model's thinking too").conflicts("json"))
    .addOption(new Option("--tools <how>", "tool calls: full, brief or none").default("brief").conflicts("json"))
    .option("--until-idle <seconds>", "end when nothing was written for so long")
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "one event a line, as JSON")
    .action(async (name: string | undefined, options: FollowCommandOptions) => {
      const paint = await withHighlighter(toPaintOptions(options, io));
      const turns = parseNumber("--turns", options.turns, /^\d+$/);
      const untilIdleMs =
        1000 * parseNumber("--until-idle", options.untilIdle ?? "Infinity", /^(\d+(\.\d+)?|Infinity)$/);
      const roots = await sessionRoots(io, options);
      const load = await loadOptions(io);
      const path = name === undefined ? undefined : chooseSession(name, roots, io, load).open();
      const clean = options.reveal ? <Value>(value: Value) => value : maskingRedactor().json;
      const view = options.json
        ? jsonView(clean)
        : textView(clean, { paint, prices: load.prices, isTerminal: io.isTerminal });
      const onNotice = (text: string) => io.stderr(neutralize(`${text}\n`));
      if (path === undefined) onNotice(`waiting for a session in ${roots.join(", ")} to be written to`);
      await followSessions(
        {
          path,
          roots,
          turns,
          untilIdleMs,
          view,
          load,
          heading: ({ header, outline }) => toText(paintHeader(clean(header, "session"), outline.totals, paint)),
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
  throw new UserError("usage", `${option} wants a number, not "${text}"`, `for example ${option} 3`);
}
