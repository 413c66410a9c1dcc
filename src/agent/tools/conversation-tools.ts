import { z } from "zod";
import { createTool } from "./create-tool.js";
import { refusedOutcome, ToolError } from "./tool.js";

export const askUserQuestionTool = createTool({
  name: "AskUserQuestion",
  description:
    "Asks the person one to four questions with two to four answers to choose from each. They can always answer in their own words. Use it only where you cannot decide by yourself.",
  schema: z.object({
    questions: z
      .array(
        z.object({
          question: z.string().min(1),
          header: z.string().describe("One or two words"),
          options: z
            .array(z.object({ label: z.string().min(1), description: z.string() }))
            .min(2)
            .max(4),
          multiSelect: z.boolean().optional().default(false).describe("Several answers may be chosen"),
        }),
      )
      .min(1)
      .max(4),
  }),
  isReadOnly: false,
  action: () => ({ kind: "talk" }),
  async run({ questions }, { askPerson }) {
    const answers = await askPerson(questions);
    if (!answers) throw new ToolError("No user can answer. Decide by yourself, and say what you assumed.");
    const replies = Object.entries(answers).map(([question, answer]) => `"${question}"="${answer}"`);
    return {
      content: `Your questions have been answered: ${replies.join(", ")}. You can now continue with these answers in mind.`,
      data: { questions, answers, annotations: {} },
    };
  },
});

export const exitPlanModeTool = createTool({
  name: "ExitPlanMode",
  description:
    "Shows your plan to the person and asks whether to carry it out. Only in plan mode, when the plan is complete.",
  schema: z.object({ plan: z.string().min(1).describe("The plan, in Markdown") }),
  isReadOnly: false,
  action: () => ({ kind: "talk" }),
  async run({ plan }, { leavePlanMode }) {
    const answer = await leavePlanMode(plan);
    if (answer === "not-planning") throw new ToolError("You are not in plan mode. Continue with the work.", true);
    if (answer === "none") throw new ToolError(NOBODY);
    if (answer !== "approved") return refusedOutcome(answer);
    return {
      content: "User has approved exiting plan mode. You can now proceed.",
      data: { plan, isAgent: false, filePath: null },
    };
  },
});

const NOBODY = "No user can approve the plan. Stay in plan mode, and end with the whole plan as your answer.";

export const todoWriteTool = createTool({
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
    return { content: "The list has been updated. Continue with the next item.", data: { oldTodos, newTodos: todos } };
  },
});
