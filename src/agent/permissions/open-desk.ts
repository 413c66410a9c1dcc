import { UserError } from "../../errors.js";
import type { ChatOptions } from "../chat-options.js";
import type { Workspace } from "../tools/workspace.js";
import { PermissionDesk } from "./permission-desk.js";
import { parseRule, type Rule } from "./rule.js";
import { readPermissionSettings } from "./settings.js";

/** The rules of the settings files and of the command line together. */
export function openDesk(options: ChatOptions, workspace: Workspace): PermissionDesk {
  const { configRoot, cwd, allow = [], deny = [], mode, listen, person } = options;
  const settings = readPermissionSettings(configRoot, cwd);
  for (const text of settings.problems) listen({ kind: "notice", text });
  for (const folder of settings.additionalDirectories) workspace.addRoot(workspace.resolve(folder));
  const rules = {
    allow: [...settings.allow, ...allow.map((rule) => toRule(rule, cwd))],
    ask: settings.ask,
    deny: [...settings.deny, ...deny.map((rule) => toRule(rule, cwd))],
  };
  return new PermissionDesk(rules, mode ?? settings.defaultMode ?? "default", workspace, person);
}

function toRule(text: string, base: string): Rule {
  const rule = parseRule(text, base);
  if (rule) return rule;
  throw new UserError("usage", `not a permission rule: ${text}`, "for example Read, Edit(src/**) or Bash(npm test:*)");
}
