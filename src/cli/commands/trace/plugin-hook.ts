import { dataFolderOf } from "../../../app/settings.js";
import { stringAt, tryParseJson } from "../../../format/json.js";
import { readSmallFile } from "../../../format/layout/small-file.js";
import { readConfigUnchecked } from "../../../store/config.js";
import { areSettings, hasHooks } from "../../../trace/hook/claude-settings.js";
import { BUDGET_EVENTS } from "../../../trace/hook/spool.js";
import { hookCommandFor, SCOPES, settingsPath } from "../../client-settings.js";
import type { Io } from "../../io.js";

const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

/** The plugin's hook has nothing to do where no target is installed, or where Claude Code's settings run turnlog's hook at this event, too. */
export function isForPlugin(text: string, io: Io): boolean {
  const input = tryParseJson(text);
  const event = stringAt(input, "hook_event_name") ?? "";
  return (isBudgetEvent(event) || hasTargets(io)) && !isLeftToSettings(event, input, io);
}

function isBudgetEvent(event: string): boolean {
  return BUDGET_EVENTS.some((name) => name === event);
}

function hasTargets(io: Io): boolean {
  return (readConfigUnchecked(dataFolderOf(io)).trace?.targets ?? []).length > 0;
}

function isLeftToSettings(event: string, input: unknown, io: Io): boolean {
  const cwd = io.env["CLAUDE_PROJECT_DIR"] || stringAt(input, "cwd") || io.cwd;
  return SCOPES.some((scope) => {
    const path = settingsPath({ scope }, { ...io, cwd });
    const bytes = readSmallFile(path, { maxBytes: MAX_SETTINGS_BYTES, followsLinks: true });
    const settings = bytes?.toString("utf8") ?? "";
    return areSettings(settings) && hasHooks(settings, hookCommandFor({ scope }, io), [event]);
  });
}
