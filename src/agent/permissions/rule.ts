/** One rule in Claude Code's syntax: `Bash(git diff:*)`, `Edit(src/**)`, `WebFetch(domain:example.com)`, `Read`. */
export interface Rule {
  readonly tool: string;
  /** The text in parentheses; undefined: every call of the tool. */
  readonly spec: string | undefined;
  /** The folder that a path starting with `/` is relative to. */
  readonly base: string;
  readonly text: string;
}

export function parseRule(text: string, base: string): Rule | undefined {
  const found = /^([A-Za-z][\w-]*)(?:\(([\s\S]*)\))?$/.exec(text.trim());
  if (!found?.[1]) return undefined;
  // Of all that counts as a space in JavaScript, only these separate words in a shell: a carriage return is a name like any other.
  const spec = found[2]?.replace(/^[ \t\n]+/, "").replace(/(?<![ \t\n])[ \t\n]+$/, "");
  const isEverything = spec === undefined || spec === "" || spec === "*" || spec === ":*";
  return { tool: found[1], spec: isEverything ? undefined : spec, base, text: text.trim() };
}

/** A rule for this text and no other; none where the syntax of rules has no such rule: a `*` always matches other texts, too. */
export function exactRule(tool: string, text: string): readonly string[] {
  const rule = `${tool}(${text})`;
  const parsed = parseRule(rule, "/");
  return parsed?.tool === tool && parsed.spec === text && !text.includes("*") ? [rule] : [];
}

/** `Bash(git log:*), Edit Read(src/**)`: split at commas and spaces outside of parentheses. */
export function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let current = "";
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth <= 0 && /[\s,]/.test(character)) {
      rules.push(current);
      current = "";
    } else current += character;
  }
  return [...rules, current].filter((rule) => rule !== "");
}
