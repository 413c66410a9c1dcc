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
import type { CommandContext } from "../../io.js";
import { isColoured } from "../../terminal/paint-options.js";

interface DiffOptions extends RootOptions {
  readonly branch?: string;
  readonly reveal?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
  turnlog diff 611dbd00 last           a session and what became of it
  turnlog diff 611dbd00 --branch 5f0c  what is live, and a branch that was rewound`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<a>", "file path, id, unique id prefix, exact title, or `last`")
    .argument("[b]", "the other session; without, a branch of the first")
    .option("--branch <leaf>", "of the second session, or of the first where there is no second")
    .option("--reveal", "show secrets")
    .option("--json", "as JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (first: string, second: string | undefined, options: DiffOptions) => {
      if (second === undefined && options.branch === undefined) {
        throw new UserError("usage", "there is nothing to compare with", "name a second session, or --branch <leaf>");
      }
      const settings = await loadOptions(io);
      const roots = await sessionRoots(io, options);
      const load = (name: string) => loadFound(chooseSession(name, roots, io, settings), settings);
      const a = load(first);
      const b = second === undefined ? a : load(second);
      const clean = options.reveal ? <Value>(value: Value) => value : maskingRedactor().json;
      const found = diffSessions(
        toCompared(a),
        toCompared(options.branch === undefined ? b : b.branch(options.branch)),
      );
      const diff = clean(found, "diff");
      if (options.json) return io.stdout(`${JSON.stringify(diff, null, 2)}\n`);
      for (const text of paintSessionDiff(diff, createStyle(isColoured(io)))) await io.stdout(text);
    });
}

function toCompared(session: LoadedSession): ComparedSession {
  const { id, title } = session.header;
  return { id, title, turns: session.turns() };
}
