import { arrayAt, isObject, stringAt } from "../../format/json.js";
import { isAbsoluteAnywhere } from "../../format/layout/path-forms.js";
import { toFileCalls } from "../../format/record/file-changes.js";
import { resolvePath } from "../../session/file-history/file-path.js";
import { listShellChanges } from "../../session/file-history/shell-changes.js";
import { asksPerson } from "../../session/messages/tool-status.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";

/** What a turn did: commands and how they ended, files that were read, searches, everything else by its name, and files changed. */
export function workLines(calls: readonly ToolCall[]): string[] {
  const own = calls.filter(({ name }) => !asksPerson(name));
  const named = (...names: string[]) => own.filter(({ name }) => names.includes(name));
  const known = new Set(["Bash", "Read", "Grep", "Glob", ...CHANGING]);
  const others = own
    .filter(({ name }) => !known.has(name))
    .map((call) => ({ ...call, summary: `${call.name} ${call.summary}` }));
  return [
    ...listLine(
      "Ran",
      named("Bash").map((call) => describeEnd(call, `\`${stringAt(call.input, "command") ?? ""}\``)),
    ),
    ...listLine(
      "Read",
      named("Read").map((call) => describeEnd(call, call.summary)),
    ),
    ...listLine(
      "Searched",
      named("Grep", "Glob").map((call) => describeEnd(call, call.summary)),
    ),
    ...listLine(
      "Used",
      others.map((call) => describeEnd(call, call.summary)),
    ),
    ...listLine(
      "Failed to change",
      named(...CHANGING)
        .filter(hasFailed)
        .map((call) => describeEnd(call, call.summary)),
    ),
    ...listLine("Files changed", own.flatMap(changedFiles)),
  ];
}

const CHANGING = ["Edit", "MultiEdit", "Write", "NotebookEdit"] as const;
const LONGEST = 160; // characters of a command, or of why it failed
const MOST = 12; // items of a list

function listLine(title: string, items: readonly string[]): string[] {
  const once = [...new Set(items)];
  const more = once.length > MOST ? `, and ${once.length - MOST} more` : "";
  return once.length === 0 ? [] : [`${title}: ${once.slice(0, MOST).join(", ")}${more}`];
}

function hasFailed({ status }: ToolCall): boolean {
  return status !== "ok";
}

/** With why it failed. */
function describeEnd({ status, result }: ToolCall, what: string): string {
  const short = cutLine(what);
  return status === "ok" ? short : `${short} (${status}${result ? `: ${cutLine(result)}` : ""})`;
}

function cutLine(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ");
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).toWellFormed()}…`;
}

/** Also by shell commands: as Claude Code noted it, else by what the command says. */
export function changedFiles(call: ToolCall): string[] {
  const noted = toFileCalls(call).filter(({ kind }) => kind !== "read");
  if (noted.length > 0) return call.name === "Bash" || call.status === "ok" ? noted.map(({ path }) => path) : [];
  return call.name === "Bash" && call.status === "ok" ? namedFiles(stringAt(call.input, "command") ?? "") : [];
}

const PATH = /(?:"([^"$`]+)"|'([^']+)'|([^\s"'|&;<>()$`*?]+))/.source;
const WRITING: readonly RegExp[] = [
  new RegExp(`(?<![<>&\\d=-])>>?\\s*${PATH}`, "g"),
  new RegExp(`\\btee\\s+(?:-a\\s+)?${PATH}`, "g"),
  new RegExp(`\\bsed\\s+-i\\S*\\s+(?:-e\\s+)?(?:"[^"]*"|'[^']*')\\s+${PATH}`, "g"),
  new RegExp(`\\btouch\\s+${PATH}`, "g"),
];

const CD = new RegExp(`(?:^|&&|[;\\n])\\s*cd\\s+${PATH}`, "g");

/** The text of a here document names no file. */
export function withoutHereDocuments(command: string): string {
  return command.replace(/(<<-?\s*["']?(\w+)["']?[^\n]*)\n[\s\S]*?\n\s*\2\b/g, "$1");
}

function namedFiles(text: string): string[] {
  const command = withoutHereDocuments(text);
  const moved = listShellChanges(text, null).map(({ kind, path, to }) =>
    kind === "removed" ? `${path} (removed)` : `${path} (moved to ${to})`,
  );
  const written = WRITING.flatMap((pattern) =>
    [...command.matchAll(pattern)].flatMap((match) => {
      const path = match[1] ?? match[2] ?? match[3] ?? "";
      return isFileName(path) ? resolvePath(path, folderAt(command, match.index)) : [];
    }),
  );
  return [...written, ...moved];
}

/** Numbers, descriptors and line ends of the shell are no names, and devices are no files. */
function isFileName(path: string): boolean {
  return /[\p{L}_]/u.test(path) && !path.startsWith("/dev/") && !path.startsWith("&");
}

/** Where the command was at that place, if a `cd` before it says so. */
function folderAt(command: string, place: number): string | null {
  const moves = [...command.slice(0, place).matchAll(CD)];
  return moves.reduce<string | null>((folder, match) => {
    const to = match[1] ?? match[2] ?? match[3] ?? "";
    return folder === null && !isAbsoluteAnywhere(to) && !to.startsWith("~") ? null : resolvePath(to, folder);
  }, null);
}

/** What was left to do at the end of these turns: open tasks, a question without answer, a test or call that failed last. */
export function openPoints(turns: readonly Pick<Turn, "toolCalls" | "messages">[]): string[] {
  const calls = turns.flatMap(({ toolCalls }) => toolCalls);
  const last = turns.at(-1);
  const texts = (last?.messages ?? []).flatMap(({ author, blocks }) =>
    author === "model" ? blocks.flatMap((block) => (block.kind === "text" ? block.text.trim() : [])) : [],
  );
  const asked =
    texts
      .findLast((text) => text !== "")
      ?.split("\n")
      .at(-1)
      ?.trim() ?? "";
  return [
    ...openTodos(calls),
    ...openTasks(calls),
    ...(asked.endsWith("?") ? [`Asked, without an answer: ${asked}`] : []),
    ...failedLast(calls).map((call) => `Failed last: ${call.name} ${describeEnd(call, call.summary)}`),
  ];
}

function openTodos(calls: readonly ToolCall[]): string[] {
  const written = calls.findLast(({ name, status }) => name === "TodoWrite" && status === "ok");
  return arrayAt(written?.input, "todos")
    .filter((todo) => stringAt(todo, "status") !== "completed")
    .map((todo) => `To do: ${stringAt(todo, "content") ?? ""} (${stringAt(todo, "status") ?? "pending"})`);
}

/** The id of a new task is in its result. */
function openTasks(calls: readonly ToolCall[]): string[] {
  const tasks = new Map<string, { subject: string; status: string }>();
  for (const { name, input, result, resultData, status } of calls) {
    if (status !== "ok" || (name !== "TaskCreate" && name !== "TaskUpdate")) continue;
    const made = isObject(resultData) ? stringAt(resultData, "task", "id") : undefined;
    const id = name === "TaskUpdate" ? stringAt(input, "taskId") : (made ?? /#(\d+)/.exec(result ?? "")?.[1]);
    if (id === undefined) continue;
    const known = tasks.get(id) ?? { subject: "", status: "pending" };
    tasks.set(id, {
      subject: stringAt(input, "subject") ?? known.subject,
      status: (name === "TaskUpdate" ? stringAt(input, "status") : undefined) ?? known.status,
    });
  }
  const open = [...tasks].filter(([, { status }]) => status !== "completed" && status !== "deleted");
  return open.map(([id, { subject, status }]) => `To do: #${id} ${subject} (${status})`);
}

/** A command that says whether the work is sound. */
export const TEST = /\b(?:tests?|vitest|jest|pytest|rspec|phpunit|tsc|lint|check)\b/;

/** The last call of all, and the last run of tests, where they failed. */
function failedLast(calls: readonly ToolCall[]): ToolCall[] {
  const last = calls.at(-1);
  const tests = calls.findLast(({ name, input }) => name === "Bash" && TEST.test(stringAt(input, "command") ?? ""));
  return [...new Set([last, tests])].flatMap((call) => (call?.status === "error" ? [call] : []));
}
