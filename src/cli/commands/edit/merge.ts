import { type Command, Option } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { type MergeWish, planMerge } from "../../../edit/merge/plan-merge.js";
import { readEditSource } from "../../../edit/plans/edit-source.js";
import { UserError } from "../../../errors.js";
import { liveSince } from "../../../library/load/live-session.js";
import type { CommandContext, Io } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { parseTurnRange } from "../../options/show-options.js";
import { runEdit } from "./run-edit.js";

interface MergeOptions extends EditCommandOptions {
  readonly branch?: string;
  readonly from?: string;
  readonly turns?: string;
  readonly at?: string;
}

const EXAMPLES = `
  turnlog merge last --branch 5f0c           what was rewound, at the end
  turnlog merge last --from 611dbd00         the turns of another session, at the end
  turnlog merge last --from 611dbd00 --turns 3-5 --at 2

Turns of a branch are counted from where it parts.`;

export function define(command: Command, { io }: CommandContext): void {
  addEditOptions(command)
    .option("--branch <leaf>", "the turns of a branch that was rewound")
    .addOption(new Option("--from <session>", "the turns of another session").conflicts("branch"))
    .option("--turns <range>", "only these of them: 3, 3-7, 3-, -7")
    .option("--at <turn>", "after this turn; without, at the end")
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
    throw new UserError("usage", "what to merge is not said", "for example --branch 5f0c or --from 611dbd00");
  }
  const found = chooseSession(from, await sessionRoots(io, options), io, await loadOptions(io));
  const other = readEditSource(found.open(), { liveSince: liveSince(dataFolderOf(io), found.id) });
  return { from: { other }, ...where };
}

function toTurn(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UserError("usage", `no turn: ${text}`, "for example --at 2");
}
