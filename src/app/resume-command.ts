/**
 * The command that resumes a session in Claude Code. Null if a name has control characters: they are invisible where the
 * command is pasted, and a terminal may act on them.
 */
export function resumeCommand(id: string, cwd: string | null): string | null {
  if (/\p{Cc}/u.test(`${cwd ?? ""}${id}`)) return null;
  const resume = `claude --resume ${quoteForShell(id)}`;
  return cwd === null ? resume : `cd ${quoteForShell(cwd)} && ${resume}`;
}

/** A word as POSIX shells need it: in single quotes, unless every character is harmless. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
