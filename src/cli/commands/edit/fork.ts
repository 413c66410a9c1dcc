import { type Command, Option } from "commander";
import { type ForkFlags, toForkPoint } from "../../../app/edit/edit-flags.js";
import { planFork } from "../../../edit/plans/clone-and-fork.js";
import type { CommandContext } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { runEdit } from "./run-edit.js";

type ForkOptions = EditCommandOptions & ForkFlags;

const EXAMPLES = `
Examples:
  turnlog fork last --at 7             the first seven turns
  turnlog fork last --from 12          turn 12 and all later turns
  turnlog fork 611dbd00 --at 3e508519  everything up to a record
  turnlog fork 611dbd00 --branch 5f0c  continue a rewound branch

\`turnlog show --branch all\` lists turns and branches.`;

export function define(command: Command, { io }: CommandContext): void {
  addEditOptions(command)
    .addOption(new Option("--at <turn>", "everything up to the end of this turn, or up to a record, by its uuid"))
    .addOption(new Option("--from <turn>", "this turn and all later ones").conflicts(["at"]))
    .addOption(new Option("--branch <leaf>", "the branch that ends at this record").conflicts(["at", "from"]))
    .addHelpText("after", EXAMPLES)
    .action((name: string, options: ForkOptions) => {
      const point = toForkPoint(options);
      return runEdit(name, options, io, (source, common) => planFork(source, point, common), "fork");
    });
}
