import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { maskingRedactor } from "../app/redaction.js";
import { dataFolderOf } from "../app/settings.js";
import { readText, UserError } from "../errors.js";
import { homeFolder } from "../own-user.js";
import { neutralize } from "../render/safe-text.js";
import { paintDiff } from "../render/terminal/paint-diff.js";
import { createStyle } from "../render/terminal/style.js";
import { diffContents, formatFilePatch } from "../session/file-history/unified-diff.js";
import { atomicWrite } from "../store/atomic-write.js";
import { ensureDataDir } from "../store/data-dir.js";
import { makeFolder } from "../store/make-folder.js";
import { areSettings, hookCommand, NO_SETTINGS, SHARED_HOOK_COMMAND } from "../trace/hook/claude-settings.js";
import type { Io } from "./io.js";
import { isColoured } from "./terminal/is-coloured.js";
import { openPrompter, type Prompter } from "./terminal/prompter.js";

/** Which settings of Claude Code are changed, and how. */
export interface SettingsOptions {
  readonly scope: string;
  readonly configDir?: string;
  readonly yes?: boolean;
}

export const SCOPES = ["user", "project", "local"] as const;
export const SCOPE_HELP = "settings to change: user, project, or local (yours, in this project)";

/** How Claude Code runs turnlog's hook. */
export function hookCommandFor({ scope }: SettingsOptions, { platform }: Io): string {
  const [node = "node", program = "turnlog"] = process.argv;
  return scope === "project" ? SHARED_HOOK_COMMAND : hookCommand(node, program, platform);
}

export async function withPrompter(io: Io, work: (prompter: Prompter) => Promise<void>): Promise<void> {
  const prompter = openPrompter(io);
  try {
    await work(prompter);
  } finally {
    prompter.close();
  }
}

export function settingsPath({ scope, configDir }: SettingsOptions, io: Io): string {
  const folder = configDir ?? io.env["CLAUDE_CONFIG_DIR"]?.split(",")[0]?.trim();
  switch (scope) {
    case "user":
      return join(folder || join(homeFolder(), ".claude"), "settings.json");
    case "project":
      return join(io.cwd, ".claude", "settings.json");
    case "local":
      return join(io.cwd, ".claude", "settings.local.json");
    default:
      throw new UserError("usage", `unknown scope: ${scope}`, "use user, project or local");
  }
}

/** As text: what is not ours stays byte by byte. */
export function readClientSettings(path: string): string {
  if (!existsSync(path)) return NO_SETTINGS;
  const text = readText(path);
  if (areSettings(text)) return text;
  throw new UserError("unreadable", `${path} is not a JSON object`, "fix it first; nothing was changed");
}

interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Shows the change and keeps a backup. False if the user declined. */
export async function applyChange(
  { path, before, after }: Change,
  { yes }: SettingsOptions,
  prompter: Prompter,
  io: Io,
): Promise<boolean> {
  if (before === after) {
    io.stderr(neutralize(`${path} is already up to date\n`));
    return true;
  }
  const old = existsSync(path) ? before : null;
  const diff = (await maskingRedactor(io)).text(formatFilePatch(diffContents(basename(path), old, after)));
  await io.stdout(`${neutralize(path)}\n${paintDiff(diff, createStyle(isColoured(io)))}\n`);
  if (!yes && !(await prompter.confirm("Apply this change to Claude Code's settings?"))) {
    io.stderr("nothing was changed\n");
    return false;
  }
  if (old !== null) keepBackup(path, old, io);
  makeFolder(dirname(path), 0o777);
  atomicWrite(path, after);
  return true;
}

function keepBackup(path: string, text: string, io: Io): void {
  const time = new Date().toISOString().replace(/[:.]/g, "-");
  const backup = join(ensureDataDir(dataFolderOf(io), "backup"), `${basename(path)}.${time}`);
  atomicWrite(backup, text, { overwrite: false });
  io.stderr(neutralize(`backup of the old settings: ${backup}\n`));
}
