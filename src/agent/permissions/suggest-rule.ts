import { isWithin, type Workspace } from "../workspace.js";
import { commandText } from "./command/match-command.js";
import type { SimpleCommand } from "./command/shell-node.js";
import { isRunner } from "./command/started-programs.js";
import { isGuarded } from "./guarded-path.js";
import { escapeGlob } from "./match-rule.js";
import { exactRule } from "./rule.js";

/** A program with its subcommand, its script, or the name that `npm run` runs. */
const BEGINNING =
  /^(?:(?:npm|pnpm|yarn|bun) run [\w:.-]+|(?:python[\d.]*|node|deno|perl|ruby|php) [\w.][\w./-]*|[\w./-]+ [a-z][\w:-]*|[\w./-]+)(?=\s|$)/;
/** An interpreter with inline code: a prefix rule would allow any other code. */
const CODE = /^\S*(?:python[\d.]*|node|deno|bun|perl|ruby|php)\s+-/;

/** Programs with subcommands where an option comes first, so the prefix does not contain the subcommand. */
const OPTION_FIRST = /^(?:\S*\/)?(?:git|gh|npm|pnpm|yarn|bun|cargo|go|docker|kubectl|aws)\s+-/;

/** Destructive programs never get a prefix rule. */
const DESTRUCTIVE = /^(?:\S*\/)?(?:rm|rmdir|shred|dd|truncate|mkfs\S*|kill|pkill|killall|chmod|chown)(?=\s|$)/;
const TOO_WIDE = [CODE, OPTION_FIRST, DESTRUCTIVE];

/**
 * A prefix rule for commands like this one; for runners and destructive programs, a rule for this exact command. None where that rule
 * would match other commands, too: a `*` in a rule matches any text.
 */
export function suggestCommandRule(command: SimpleCommand, tool: string): readonly string[] {
  const text = commandText(command);
  const beginning = BEGINNING.exec(text)?.[0];
  const program = command.words[0]?.value ?? "";
  const isTooWide =
    beginning === undefined ||
    command.assignments.length > 0 ||
    isRunner(program) ||
    TOO_WIDE.some((form) => form.test(text));
  if (!isTooWide) return [`${tool}(${beginning}:*)`];
  return exactRule(tool, text);
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
