import { arrayAt, asObject, objectAt, stringAt, toJsonText } from "../../format/json.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { formatCount } from "../format-values.js";
import { markdownPart, notePart, resultParts, type TodoItem, type ViewPart, type ViewTool } from "./view-parts.js";

export const viewTodos: ViewTool = (call) => {
  const asked = todoItems(arrayAt(call.input, "todos"));
  const items = asked.length > 0 ? asked : todoItems(arrayAt(call.resultData, "newTodos"));
  if (items.length === 0) return { title: call.summary, parts: resultParts(call) };
  const done = items.filter(({ state }) => state === "done").length;
  return { title: `${done} of ${items.length} done`, parts: [{ kind: "todos", items }] };
};

/** TaskCreate, TaskUpdate, TaskList and TaskGet: tasks by id. */
export const viewTask: ViewTool = (call) => {
  const listed = todoItems(arrayAt(call.resultData, "tasks"));
  if (listed.length > 0)
    return { title: formatCount(listed.length, "task"), parts: [{ kind: "todos", items: listed }] };
  const task = { ...objectAt(call.resultData, "task"), ...asObject(call.input) };
  const items = todoItems([task]);
  return {
    title: taskTitle(call, task),
    parts: [
      ...(items.length > 0 ? [{ kind: "todos", items } as const] : []),
      ...markdownPart(stringAt(task, "description"), "description"),
      ...otherChanges(call.input),
      ...(items.length > 0 ? [] : resultParts(call)),
    ],
  };
};

function taskTitle({ summary, input, resultData }: ToolCall, task: object): string {
  const id = stringAt(input, "taskId") ?? stringAt(task, "id");
  const status = stringAt(input, "status");
  const before = stringAt(resultData, "statusChange", "from");
  const words = [id && `#${id}`, stringAt(task, "subject"), status && before, status && `→ ${status}`];
  return words.filter((word) => word).join(" ") || summary;
}

const SHOWN_KEYS: ReadonlySet<string> = new Set(["taskId", "subject", "description", "activeForm", "status"]);

/** Such as the owner of a task and the tasks that block it. */
function otherChanges(input: unknown): ViewPart[] {
  return Object.entries(asObject(input) ?? {})
    .filter(([key]) => !SHOWN_KEYS.has(key))
    .flatMap(([key, value]) => notePart([value].flat().map(toText).join(", "), toWords(key)));
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (toJsonText(value) ?? "");
}

/** `addBlockedBy`: add blocked by. */
function toWords(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** To-dos and tasks; items without text are skipped. */
function todoItems(items: readonly unknown[]): TodoItem[] {
  return items.flatMap((item) => {
    const text = stringAt(item, "content") ?? stringAt(item, "subject");
    if (text === undefined) return [];
    const id = stringAt(item, "id");
    return [{ text: id === undefined ? text : `#${id} ${text}`, state: toState(stringAt(item, "status")) }];
  });
}

function toState(status: string | undefined): TodoItem["state"] {
  if (status === "completed") return "done";
  return status === "in_progress" ? "active" : "open";
}
