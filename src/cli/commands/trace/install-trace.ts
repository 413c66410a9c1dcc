import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { maskingRedactor } from "../../../app/redaction.js";
import type { RootOptions } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { adoptOtherTracer } from "../../../app/trace/adopt-sent.js";
import { removeTargets, saveTarget } from "../../../app/trace/trace-settings.js";
import { readText, UserError } from "../../../errors.js";
import { isObject, type JsonObject, tryParseJson } from "../../../format/json.js";
import { homeFolder } from "../../../own-user.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintDiff } from "../../../render/terminal/paint-diff.js";
import { createStyle } from "../../../render/terminal/style.js";
import { diffContents, formatFilePatch } from "../../../session/file-history/unified-diff.js";
import { atomicWrite } from "../../../store/atomic-write.js";
import { ensureDataDir } from "../../../store/data-dir.js";
import { makeFolder } from "../../../store/make-folder.js";
import {
  addHooks,
  hasOtherTracer,
  hookCommand,
  removeHooks,
  removeOtherTracer,
  SHARED_HOOK_COMMAND,
} from "../../../trace/hook/claude-settings.js";
import type { Io } from "../../io.js";
import { isColoured } from "../../terminal/is-coloured.js";
import { openPrompter, type Prompter } from "../../terminal/prompter.js";
import { chooseTraceTarget, type TargetOptions } from "./choose-trace-target.js";

export interface InstallOptions extends TargetOptions, RootOptions {
  readonly scope: string;
  readonly yes?: boolean;
  readonly replace?: boolean;
}

/** Adds turnlog's hook to Claude Code's settings, after showing the change; the old settings are backed up. */
export async function installTrace(options: InstallOptions, io: Io): Promise<void> {
  await withPrompter(io, async (prompter) => {
    const path = settingsPath(options, io);
    const before = readClientSettings(path);
    const target = await chooseTraceTarget(options, prompter, io);
    const replaces = hasOtherTracer(before) && (options.yes || options.replace || (await askToReplace(prompter)));
    if (hasOtherTracer(before) && !replaces) io.stderr("kept the hook of cc-langfuse: every turn is sent twice\n");
    const base = replaces ? removeOtherTracer(before) : before;
    if (options.scope === "project") io.stderr(SHARED_NOTE);
    const after = addHooks(base, commandFor(options, io));
    if (!(await applyChange({ path, before, after }, options, prompter, io))) return;
    await saveTarget(target, options.userId, io);
    const { name } = target.config;
    const adopted = replaces ? await adoptOtherTracer(name, options, io) : undefined;
    if (adopted !== undefined) {
      io.stderr(`${formatCount(adopted, "turn")} that cc-langfuse has sent will not be sent again\n`);
    }
    await io.stdout(neutralize(`installed: turns are sent to ${name} from now on (try \`turnlog trace test\`)\n`));
  });
}

const SHARED_NOTE = `these settings apply to everyone in the project: each needs \`turnlog\` on the PATH, and their own targets
(use \`--scope local\` for yourself only)
`;

function commandFor({ scope }: InstallOptions, { platform }: Io): string {
  const [node = "node", program = "turnlog"] = process.argv;
  return scope === "project" ? SHARED_HOOK_COMMAND : hookCommand(node, program, platform);
}

/** Removes turnlog's hook, the targets and their keys. */
export async function uninstallTrace(options: InstallOptions, io: Io): Promise<void> {
  await withPrompter(io, async (prompter) => {
    const path = settingsPath(options, io);
    const before = readClientSettings(path);
    if (
      !(await applyChange({ path, before, after: removeHooks(before, commandFor(options, io)) }, options, prompter, io))
    )
      return;
    await removeTargets(io);
    await io.stdout("uninstalled: nothing is sent from now on\n");
  });
}

async function withPrompter(io: Io, work: (prompter: Prompter) => Promise<void>): Promise<void> {
  const prompter = openPrompter(io);
  try {
    await work(prompter);
  } finally {
    prompter.close();
  }
}

function askToReplace(prompter: Prompter): Promise<boolean> {
  return prompter.confirm("cc-langfuse is installed and sends every turn too. Replace its hook?");
}

function settingsPath({ scope, configDir }: InstallOptions, io: Io): string {
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

function readClientSettings(path: string): JsonObject {
  if (!existsSync(path)) return {};
  const json = tryParseJson(readText(path).replace(/^\uFEFF/, ""));
  if (isObject(json)) return json;
  throw new UserError("unreadable", `${path} is not a JSON object`, "fix it first; nothing was changed");
}

interface Change {
  readonly path: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** False if the user declined. */
async function applyChange(
  { path, before, after }: Change,
  { yes }: InstallOptions,
  prompter: Prompter,
  io: Io,
): Promise<boolean> {
  if (JSON.stringify(before) === JSON.stringify(after)) {
    io.stderr(neutralize(`${path} is already up to date\n`));
    return true;
  }
  const old = existsSync(path) ? readText(path) : null;
  const text = `${JSON.stringify(after, null, indentOf(old ?? ""))}\n`;
  const diff = (await maskingRedactor(io)).text(formatFilePatch(diffContents(basename(path), old, text)));
  await io.stdout(`${neutralize(path)}\n${paintDiff(diff, createStyle(isColoured(io)))}\n`);
  if (!yes && !(await prompter.confirm("Apply this change to Claude Code's settings?"))) {
    io.stderr("nothing was changed\n");
    return false;
  }
  if (old !== null) keepBackup(path, old, io);
  makeFolder(dirname(path), 0o777);
  atomicWrite(path, text);
  return true;
}

function indentOf(text: string): string | number {
  return /^\{\s*\n([ \t]+)/.exec(text)?.[1] ?? 2;
}

function keepBackup(path: string, text: string, io: Io): void {
  const time = new Date().toISOString().replace(/[:.]/g, "-");
  const backup = join(ensureDataDir(dataFolderOf(io), "backup"), `${basename(path)}.${time}`);
  atomicWrite(backup, text, { overwrite: false });
  io.stderr(neutralize(`backup of the old settings: ${backup}\n`));
}
