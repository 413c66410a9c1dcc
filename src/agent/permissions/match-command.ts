/** Programs that only run another one. */
const WRAPPERS =
  /^(?:sudo|doas|env|nohup|time|timeout|nice|ionice|stdbuf|xargs|command|builtin|exec|setsid)\b(?:\s+-{1,2}\S+|\s+[\d.]+[smhd]?|\s+\w+=\S*)*\s+/;
const ASSIGNMENTS = /^(?:[A-Za-z_]\w*=(?:'[^']*'|"[^"]*"|\S)*\s+)+/;

/** `git diff:*` is the beginning of a command, `npm run test` the whole of one, and a `*` stands for anything. */
export function matchesCommand(spec: string, command: string): boolean {
  if (spec.endsWith(":*")) {
    const beginning = spec.slice(0, -2).trim();
    return command === beginning || command.startsWith(`${beginning} `);
  }
  if (!spec.includes("*")) return command === spec;
  const pattern = spec.split("*").map(escapePattern).join("[\\s\\S]*");
  return new RegExp(`^${pattern}$`).test(command);
}

/** The command, and what it comes to without assignments and wrappers: for rules that forbid. */
export function commandForms(command: string): readonly string[] {
  const forms = [command];
  for (let form = command; ; ) {
    const next = form
      .replace(ASSIGNMENTS, "")
      .replace(WRAPPERS, "")
      .replace(/^\\/, "")
      .replace(/^(["'])([\w./-]+)\1/, "$2");
    if (next === form) return forms;
    forms.push(next, next.replace(/^\S*\//, ""));
    form = next;
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
