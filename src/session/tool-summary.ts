import { toAgentCall } from "../format/agent-call.js";
import { isObject, stringAt } from "../format/json.js";

type Summarize = (input: unknown) => string | undefined;

/** One line that says what a call does. */
const SUMMARIES: Readonly<Record<string, Summarize>> = {
  Bash: (input) => {
    const command = stringAt(input, "command");
    const description = stringAt(input, "description");
    return command !== undefined && description ? `${command} # ${description}` : command;
  },
  Read: (input) => stringAt(input, "file_path"),
  Edit: (input) => suffixed(stringAt(input, "file_path"), " (edit)"),
  MultiEdit: (input) => suffixed(stringAt(input, "file_path"), " (edit)"),
  NotebookEdit: (input) => suffixed(stringAt(input, "notebook_path"), " (edit)"),
  Write: (input) =>
    suffixed(stringAt(input, "file_path"), ` (${Buffer.byteLength(stringAt(input, "content") ?? "")} bytes)`),
  Grep: (input) => {
    const pattern = stringAt(input, "pattern");
    const path = stringAt(input, "path");
    return pattern === undefined ? undefined : `/${pattern}/${path === undefined ? "" : ` in ${path}`}`;
  },
  Glob: (input) => stringAt(input, "pattern"),
  Task: summarizeAgent,
  Agent: summarizeAgent,
};

function summarizeAgent(input: unknown): string | undefined {
  const { type, description = "" } = toAgentCall(input);
  return type === undefined ? description || undefined : `[${type}] ${description}`.trim();
}

export function summarizeCall(name: string, input: unknown): string {
  const known = Object.hasOwn(SUMMARIES, name) ? SUMMARIES[name]?.(input) : undefined;
  return known ?? (isObject(input) ? Object.keys(input).sort().join(", ") : "");
}

function suffixed(text: string | undefined, suffix: string): string | undefined {
  return text === undefined ? undefined : text + suffix;
}
