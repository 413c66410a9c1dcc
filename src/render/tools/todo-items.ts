import { stringAt } from "../../format/json.js";
import type { TodoItem } from "./tool-view.js";

/** To-dos and tasks; what has no words is none. */
export function todoItems(items: readonly unknown[]): TodoItem[] {
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
