import { type Command, Option } from "commander";
import { type ForkPoint, planFork } from "../../edit/plan-fork.js";
import { UserError } from "../../errors.js";
import type { CommandContext } from "../command-context.js";
import { addEditOptions, type EditCommandOptions, runEdit } from "../edit-command.js";

interface ForkOptions extends EditCommandOptions {
  readonly at?: string;
  readonly from?: string;
  readonly branch?: string;
}

const EXAMPLES = `
  turnlog fork last --at 7             the first seven turns
  turnlog fork last --from 12          from turn 12 on
  turnlog fork 611dbd00 --at 3e508519  everything up to a record
  turnlog fork 611dbd00 --branch 5f0c  a branch that was rewound becomes the live one
  \`turnlog show --branch all\` shows turns and branches.`;

export function define(command: Command, { io }: CommandContext): void {
  addEditOptions(command)
    .addOption(new Option("--at <turn>", "everything up to the end of a turn, or up to a record by its uuid"))
    .addOption(new Option("--from <turn>", "a turn and all that followed").conflicts(["at"]))
    .addOption(new Option("--branch <leaf>", "the branch that ends at a record").conflicts(["at", "from"]))
    .addHelpText("after", EXAMPLES)
    .action((name: string, options: ForkOptions) => {
      const point = toPoint(options);
      return runEdit(name, options, io, (source, common) => planFork(source, point, common), "fork");
    });
}

/** Up to six digits are a turn; a uuid, or the beginning of one, is longer or has letters. */
const TURN = /^\d{1,6}$/;

function toPoint({ at, from, branch }: ForkOptions): ForkPoint {
  if (branch !== undefined) return { branch };
  if (at !== undefined) return { at: TURN.test(at) ? Number(at) : at };
  if (from !== undefined && TURN.test(from)) return { from: Number(from) };
  const message = from === undefined ? "where to fork is not said" : `no turn: ${from}`;
  throw new UserError("usage", message, "for example --at 7, --from 12 or --branch 5f0c");
}
