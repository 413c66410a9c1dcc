import type { Command } from "commander";
import { describeBudget, removeBudget, setBudget, toProject } from "../../../app/budget/budget-settings.js";
import { grantPass } from "../../../app/budget/pass-once.js";
import { viewBudgets } from "../../../app/budget/view-budgets.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import { DEFAULT_WARN_AT, PERIODS, parseAmount, parsePeriod, parseShare } from "../../../library/budget/budget.js";
import { neutralize } from "../../../render/safe-text.js";
import { createStyle } from "../../../render/terminal/style.js";
import { SCOPE_HELP, type SettingsOptions } from "../../client-settings.js";
import type { CommandContext, Io } from "../../io.js";
import { paintBudgets } from "../../report/print-budgets.js";
import { isColoured } from "../../terminal/is-coloured.js";
import { printedJson } from "../../terminal/printed-json.js";

const EXAMPLES = `
A budget is shown here, in \`turnlog stats\`, the status line and the web UI. Claude Code keeps to it after \`turnlog budget install\`.

Examples:
  turnlog budget set 20/day                      warn when a day comes to $16, and at $20
  turnlog budget set 5/session --hard            stop a session at $5
  turnlog budget set 300/month --project shop --warn 90%
  turnlog budget install                         let Claude Code ask before each prompt and tool call
  turnlog budget override                        let the next prompt pass that a hard budget would stop
  turnlog budget                                 what is spent and what is left`;

interface ListOptions {
  readonly timezone?: string;
  readonly json?: boolean;
}

interface SetOptions {
  readonly project?: string;
  readonly warn?: string;
  readonly hard?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  const { io } = context;
  command.helpCommand(false).addHelpText("after", EXAMPLES);
  command
    .command("list", { isDefault: true })
    .description("Show what is spent of each budget and what is left")
    .option("--timezone <name>", "time zone for days: Europe/Berlin, UTC (default: this machine's)")
    .option("--json", "print JSON")
    .action((options: ListOptions) => printBudgets({ ...command.opts<RootOptions>(), ...options }, io));
  command
    .command("set")
    .description("Set a budget, or change it")
    .argument("<amount>", `USD per ${PERIODS.join(", ")}: 20/day`)
    .option("--project <name>", "of one project only, as the other commands take it: part of its path, or a folder")
    .option("--warn <share>", "warn at this share of it", `${100 * DEFAULT_WARN_AT}%`)
    .option("--hard", "stop prompts and tool calls when it is reached; without it, warn")
    .action((amount: string, options: SetOptions) => set(amount, options, io));
  defineInstall(command, io);
  command
    .command("override")
    .description("Let one prompt pass that a hard budget would stop, with all that it causes")
    .action(() => override(io));
  command.command("refresh", { hidden: true }).action(async () => {
    const { refreshBudgets } = await import("../../../app/budget/view-budgets.js");
    await refreshBudgets(command.opts<RootOptions>(), io);
  });
  command
    .command("remove")
    .description("Remove a budget")
    .argument("<per>", PERIODS.join(", "))
    .option("--project <name>", "the one of this project")
    .action((per: string, options: SetOptions) => remove(per, options, io));
}

function defineInstall(command: Command, io: Io): void {
  for (const name of ["install", "uninstall"] as const) {
    const about = "Claude Code's settings; shows the change first";
    command
      .command(name)
      .description(name === "install" ? `Add the hook that keeps to budgets to ${about}` : `Remove it from ${about}`)
      .option("--scope <scope>", SCOPE_HELP, "user")
      .option("--yes", "do not ask for confirmation")
      .action(async (options: SettingsOptions) => {
        const { installBudget, uninstallBudget } = await import("./install-budget.js");
        const run = name === "install" ? installBudget : uninstallBudget;
        await run({ ...command.opts<RootOptions>(), ...options }, io);
      });
  }
}

async function override(io: Io): Promise<void> {
  grantPass(dataFolderOf(io));
  await io.stdout("the next prompt that a hard budget would stop passes, with all that it causes; for 24 hours\n");
}

async function printBudgets({ json, ...options }: ListOptions & RootOptions, io: Io): Promise<void> {
  const rows = await viewBudgets({ roots: await sessionRoots(io, options), timezone: options.timezone }, io);
  if (json) await io.stdout(printedJson(rows, io));
  else if (rows.length === 0) io.stderr("no budgets (`turnlog budget set 20/day` sets one)\n");
  else await io.stdout(paintBudgets(rows, { columns: io.columns, style: createStyle(isColoured(io)) }));
}

async function set(amount: string, { project, warn, hard = false }: SetOptions, io: Io): Promise<void> {
  const budget = {
    ...parseAmount(amount),
    project: toProject(project, io),
    warnAt: warn === undefined ? DEFAULT_WARN_AT : parseShare(warn),
    isHard: hard,
  };
  const replaced = await setBudget(budget, io);
  const before = replaced ? ` (it was ${describeBudget(replaced)})` : "";
  await io.stdout(neutralize(`${budget.isHard ? "hard budget" : "budget"} set: ${describeBudget(budget)}${before}\n`));
}

async function remove(name: string, { project }: SetOptions, io: Io): Promise<void> {
  const per = parsePeriod(name);
  if (!per)
    throw new UserError("usage", `a budget is per ${PERIODS.join(", ")}, not "${name}"`, "turnlog budget remove day");
  const removed = await removeBudget({ per, project: toProject(project, io) }, io);
  await io.stdout(neutralize(`budget removed: ${describeBudget(removed)}\n`));
}
