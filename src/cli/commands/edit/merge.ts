import { type Command, Option } from "commander";
import { chooseSession, requireTranscript } from "../../../app/choose-session.js";
import { parseTurnRange } from "../../../app/choose-view.js";
import { loadOptions } from "../../../app/load-options.js";
import { sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { type MergeWish, planMerge } from "../../../edit/merge/plan-merge.js";
import { readEditSource } from "../../../edit/plans/edit-source.js";
import { UserError } from "../../../errors.js";
import { liveSince, openRunningSessions } from "../../../library/running/running-sessions.js";
import type { CommandContext, Io } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { runEdit } from "./run-edit.js";

interface MergeOptions extends EditCommandOptions {
  readonly branch?: string;
  readonly from?: string;
  readonly turns?: string;
  readonly at?: string;
}

const EXAMPLES = `
Turns of a branch are numbered from where it leaves the active branch.

Examples:
  turnlog merge last --branch 5f0c           add a rewound branch at the end
  turnlog merge last --from 611dbd00         add the turns of another session at the end
  turnlog merge last --from 611dbd00 --turns 3-5 --at 2`;

export function define(command: Command, { io }: CommandContext): void {
  addEditOptions(command)
    .option("--branch <leaf>", "add the turns of this rewound branch")
    .addOption(new Option("--from <session>", "add the turns of this session").conflicts("branch"))
    .option("--turns <range>", "add only these: 3, 3-7, 3-, -7")
    .option("--at <turn>", "add them after this turn (default: at the end)")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, options: MergeOptions) => {
      const wish = await toWish(options, io);
      return runEdit(name, options, io, (source, common) => planMerge(source, wish, common), "merged");
    });
}

async function toWish(options: MergeOptions, io: Io): Promise<MergeWish> {
  const { branch, from, turns, at } = options;
  const where = { turns: parseTurnRange(turns), at: at === undefined ? undefined : toTurn(at) };
  if (branch !== undefined) return { from: { branch }, ...where };
  if (from === undefined) {
    throw new UserError("usage", "nothing to merge given", "for example --branch 5f0c or --from 611dbd00");
  }
  const found = requireTranscript(chooseSession(from, await sessionRoots(io, options), io, await loadOptions(io)));
  const other = readEditSource(found.open(), { liveSince: liveSince(openRunningSessions(dataFolderOf(io)), found) });
  return { from: { other }, ...where };
}

function toTurn(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UserError("usage", `not a turn: ${text}`, "for example --at 2");
}
