import { arrayAt, asObject, objectAt, stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { formatCount } from "../format-values.js";
import { markdownPart, notePart, resultParts } from "./result-parts.js";
import { todoItems } from "./todo-items.js";
import type { ViewPart, ViewTool } from "./tool-view.js";

/** TaskCreate, TaskUpdate, TaskList and TaskGet: one list of tasks, kept by id. */
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

const TOLD: ReadonlySet<string> = new Set(["taskId", "subject", "description", "activeForm", "status"]);

/** Such as owners and what blocks a task. */
function otherChanges(input: unknown): ViewPart[] {
  return Object.entries(asObject(input) ?? {})
    .filter(([key]) => !TOLD.has(key))
    .flatMap(([key, value]) => notePart([value].flat().map(inText).join(", "), inWords(key)));
}

function inText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `addBlockedBy`: add blocked by. */
function inWords(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
