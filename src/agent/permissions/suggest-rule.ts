import { isWithin, type Workspace } from "../workspace.js";
import { allowsCommand, commandText } from "./command/match-command.js";
import type { SimpleCommand } from "./command/shell-node.js";
import { isGuarded } from "./guarded-path.js";
import { escapeGlob } from "./match-rule.js";
import { exactRule } from "./rule.js";

/**
 * What a prefix rule may begin with: of these programs a rule never matches an option that starts a program (`isMeantByRule`), and none
 * of these commands writes to another place than the project and its repository.
 */
const BEGINNING =
  /^(?:(?:npm|yarn|pnpm|bun) run [\w:.-]+|(?:npm|yarn|pnpm) test|git (?:add|branch|checkout|cherry-pick|commit|diff|fetch|log|merge|pull|rebase|reset|restore|revert|show|stash|status|switch|tag))(?=\s|$)/;

/**
 * A prefix rule for commands like this one where it is known what else it would match; else a rule for this exact command. None where
 * that rule would match other commands, too: a `*` in a rule matches any text.
 */
export function suggestCommandRule(command: SimpleCommand, tool: string): readonly string[] {
  const text = commandText(command);
  const beginning = command.assignments.length > 0 ? undefined : BEGINNING.exec(text)?.[0];
  const isMeant = beginning !== undefined && allowsCommand(`${beginning}:*`, command);
  return isMeant ? [`${tool}(${beginning}:*)`] : exactRule(tool, text);
}

/** A rule for the whole workspace folder; for files outside of it and guarded files, a rule for this file only. */
export function suggestEditRule(path: string, { roots }: Workspace): readonly string[] {
  const root = isGuarded(path) ? undefined : roots.find((folder) => isWithin(path, folder));
  return root === undefined ? suggestPathRule("Edit", path) : [`Edit(/${escapeGlob(root)}/**)`];
}

/** A rule for this path. */
export function suggestPathRule(tool: string, path: string): readonly string[] {
  const text = `/${escapeGlob(path)}`;
  return text === text.trim() ? [`${tool}(${text})`] : [];
}
