import { z } from "zod";
import { defineTool } from "./define-tool.js";

export const todoWriteTool = defineTool({
  name: "TodoWrite",
  description:
    "Keeps the list of what is to be done, for work of several steps. Give the whole list each time. At most one item is in_progress; mark items completed as soon as they are.",
  schema: z.object({
    todos: z.array(
      z.object({
        content: z.string().min(1).describe("What is to be done"),
        status: z.enum(["pending", "in_progress", "completed"]),
        activeForm: z.string().min(1).describe("The same while it is being done: Running the tests"),
      }),
    ),
  }),
  isReadOnly: false,
  action: () => ({ kind: "harmless" }),
  async run({ todos }, { workspace }) {
    const oldTodos = workspace.todos;
    workspace.todos = todos.every(({ status }) => status === "completed") ? [] : todos;
    return { content: "The list has been updated. Go on with the next item.", data: { oldTodos, newTodos: todos } };
  },
});
