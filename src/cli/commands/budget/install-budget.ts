import { viewBudgets } from "../../../app/budget/view-budgets.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { UserError } from "../../../errors.js";
import { neutralize } from "../../../render/safe-text.js";
import { addHooks, hasHooks, removeHooks } from "../../../trace/hook/claude-settings.js";
import { BUDGET_EVENTS } from "../../../trace/hook/spool.js";
import {
  applyChange,
  hookCommandFor,
  readClientSettings,
  SCOPES,
  type SettingsOptions,
  settingsPath,
  withPrompter,
} from "../../client-settings.js";
import type { Io } from "../../io.js";

export interface InstallBudgetOptions extends RootOptions, SettingsOptions {}

const SHARED_NOTE = `these settings apply to everyone in the project: each needs \`turnlog\` on the PATH, and their own budgets
(use \`--scope local\` for yourself only)
`;

/** Adds turnlog's hook to Claude Code's settings where it asks before it goes on, and adds up what was spent so far. */
export async function installBudget(options: InstallBudgetOptions, io: Io): Promise<void> {
  await withPrompter(io, async (prompter) => {
    const path = settingsPath(options, io);
    const before = readClientSettings(path);
    if (options.scope === "project") io.stderr(SHARED_NOTE);
    const after = addHooks(before, hookCommandFor(options, io), BUDGET_EVENTS);
    if (!(await applyChange({ path, before, after }, options, prompter, io))) return;
    const budgets = await viewBudgets({ roots: await sessionRoots(io, options) }, io);
    const hint = budgets.length === 0 ? " (there is none yet: `turnlog budget set 20/day`)" : "";
    await io.stdout(`installed: Claude Code keeps to your budgets from its next start on${hint}\n`);
  });
}

export async function uninstallBudget(options: InstallBudgetOptions, io: Io): Promise<void> {
  await withPrompter(io, async (prompter) => {
    const path = settingsPath(options, io);
    const before = readClientSettings(path);
    const command = hookCommandFor(options, io);
    if (!hasHooks(before, command, BUDGET_EVENTS)) throw notInstalled(path, options, io);
    const after = removeHooks(before, command, BUDGET_EVENTS);
    if (!(await applyChange({ path, before, after }, options, prompter, io))) return;
    await io.stdout("uninstalled: your budgets stay, and nothing keeps to them\n");
  });
}

function notInstalled(path: string, options: InstallBudgetOptions, io: Io): UserError {
  const elsewhere = SCOPES.find((scope) => {
    const there = { ...options, scope };
    return hasHooks(readClientSettings(settingsPath(there, io)), hookCommandFor(there, io), BUDGET_EVENTS);
  });
  const hint =
    elsewhere === undefined
      ? "no settings have it"
      : `the ${elsewhere} settings have it: \`turnlog budget uninstall --scope ${elsewhere}\``;
  return new UserError("not-found", neutralize(`${path} has no hook for budgets; nothing was changed`), hint);
}
