import type { Command } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { maskingRedactor } from "../../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { type ComparedSession, diffSessions } from "../../../edit/diff/diff-sessions.js";
import { UserError } from "../../../errors.js";
import { type LoadedSession, loadFound } from "../../../library/load/load-session.js";
import { paintSessionDiff } from "../../../render/terminal/lists/paint-session-diff.js";
import { createStyle } from "../../../render/terminal/style.js";
import { countPreserved } from "../../../session/replay/select-replay.js";
import type { CommandContext } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import { isColoured } from "../../terminal/is-coloured.js";
import { printedJson } from "../../terminal/printed-json.js";

interface DiffOptions extends RootOptions {
  readonly branch?: string;
  readonly reveal?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  turnlog diff 611dbd00 last           compare two sessions
  turnlog diff 611dbd00 --branch 5f0c  compare the active branch with a rewound one`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<a>", SESSION)
    .argument("[b]", "the other session (default: the first one, with --branch)")
    .option("--branch <leaf>", "a branch of the second session, or of the first if there is no second")
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (first: string, second: string | undefined, options: DiffOptions) => {
      if (second === undefined && options.branch === undefined) {
        throw new UserError("usage", "nothing to compare with", "name a second session, or add --branch <leaf>");
      }
      const settings = await loadOptions(io);
      const roots = await sessionRoots(io, options);
      const load = (name: string) => loadFound(chooseSession(name, roots, io, settings), settings);
      const a = load(first);
      const b = second === undefined ? a : load(second);
      const clean = options.reveal ? <Value>(value: Value) => value : (await maskingRedactor(io)).json;
      const found = diffSessions(
        toCompared(a),
        toCompared(options.branch === undefined ? b : b.branch(options.branch)),
      );
      const diff = clean(found, "diff");
      if (options.json) return io.stdout(printedJson(diff, io));
      for (const text of paintSessionDiff(diff, createStyle(isColoured(io)))) await io.stdout(text);
    });
}

function toCompared(session: LoadedSession): ComparedSession {
  const { id, title } = session.header;
  return { id, title, turns: session.turns(), preserved: countPreserved(session.outline) };
}
