import { join } from "node:path";
import { samePath } from "../format/layout/path-forms.js";
import { homeFolder } from "../own-user.js";

/**
 * The command that resumes a session in Claude Code. Null if a name has control characters: they are invisible where the
 * command is pasted, and a terminal may act on them.
 */
export function resumeCommand(id: string, cwd: string | null, configRoot: string | null): string | null {
  if (/\p{Cc}/u.test(`${cwd ?? ""}${id}${configRoot ?? ""}`)) return null;
  const resume = `${namedRoot(configRoot)}claude --resume ${quoteForShell(id)}`;
  return cwd === null ? resume : `cd ${quoteForShell(cwd)} && ${resume}`;
}

/** Claude Code looks in `~/.claude` unless told otherwise; where the command is pasted, nothing may say so. */
function namedRoot(configRoot: string | null): string {
  if (configRoot === null || samePath(configRoot, join(homeFolder(), ".claude"), process.platform)) return "";
  return `CLAUDE_CONFIG_DIR=${quoteForShell(configRoot)} `;
}

/** A word as POSIX shells need it: in single quotes, unless every character is harmless. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
