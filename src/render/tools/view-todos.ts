import { arrayAt } from "../../format/json.js";
import { resultParts } from "./result-parts.js";
import { todoItems } from "./todo-items.js";
import type { ViewTool } from "./tool-view.js";

export const viewTodos: ViewTool = (call) => {
  const asked = todoItems(arrayAt(call.input, "todos"));
  const items = asked.length > 0 ? asked : todoItems(arrayAt(call.resultData, "newTodos"));
  if (items.length === 0) return { title: call.summary, parts: resultParts(call) };
  const done = items.filter(({ state }) => state === "done").length;
  return { title: `${done} of ${items.length} done`, parts: [{ kind: "todos", items }] };
};
