import type { MadeExample } from "./made-example.js";

const task = { id: "2", subject: "Charge in cents", status: "in_progress", blockedBy: ["1"], owner: "reviewer" };

const question = {
  question: "Which currencies shall the cart know?",
  header: "Currencies",
  multiSelect: true,
  options: [
    { label: "EUR", description: "As today" },
    { label: "USD", description: "Most visitors" },
    { label: "JPY", description: "Has no cents" },
  ],
};

/** Tasks, questions and plans. */
export const TALK_EXAMPLES: readonly MadeExample[] = [
  {
    name: "TaskCreate",
    input: {
      subject: "Charge in cents",
      description: "Replace floats by *whole* cents:\n\n- cart\n- invoice",
      activeForm: "Charging in cents",
    },
    content: "Task #2 created successfully: Charge in cents",
    data: { task: { id: "2", subject: "Charge in cents" } },
  },
  {
    name: "TaskUpdate",
    input: { taskId: "2", status: "in_progress", owner: "reviewer", addBlockedBy: ["1"] },
    content: "Updated task #2 status, owner, blockedBy",
    data: {
      success: true,
      taskId: "2",
      updatedFields: ["status", "owner", "blockedBy"],
      statusChange: { from: "pending", to: "in_progress" },
    },
  },
  {
    name: "TaskUpdate",
    input: { taskId: "2", status: "completed" },
    content: "Updated task #2 status",
    data: {
      success: true,
      taskId: "2",
      updatedFields: ["status"],
      statusChange: { from: "in_progress", to: "completed" },
    },
  },
  {
    name: "TaskList",
    input: {},
    content: "#1 [completed] Find the rounding\n#2 [in_progress] Charge in cents (reviewer)\n#3 [pending] Release",
    data: {
      tasks: [
        { id: "1", subject: "Find the rounding", status: "completed", blockedBy: [] },
        task,
        { id: "3", subject: "Release", status: "pending", blockedBy: ["2"] },
      ],
    },
  },
  { name: "TaskList", input: {}, content: "No tasks found", data: { tasks: [] } },
  {
    name: "TaskGet",
    input: { taskId: "2" },
    content: "Task #2: Charge in cents\nStatus: in_progress\nDescription: Replace floats\nBlocked by: #1",
    data: { task: { ...task, description: "Replace floats", blocks: [] } },
  },
  {
    name: "AskUserQuestion",
    input: {
      questions: [question, { ...question, question: "And by when?", multiSelect: false, options: [{ label: "May" }] }],
    },
    content: 'User has answered your questions: "Which currencies shall the cart know?"="EUR, JPY"',
    data: {
      questions: [question],
      answers: { [question.question]: "EUR, JPY", "And by when?": "when it is ready" },
      annotations: { [question.question]: { notes: "USD next year" } },
    },
  },
  {
    name: "AskUserQuestion",
    input: { questions: [question] },
    content: "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    data: "User rejected tool use",
    isError: true,
  },
  { name: "EnterPlanMode", input: {}, content: "Entered plan mode.", data: { message: "Entered plan mode." } },
  {
    name: "ExitPlanMode",
    input: { plan: "# Cents\n\n1. Change `total`\n2. Run the tests\n\n| file | lines |\n|---|---|\n| cart.ts | 4 |" },
    content: "User has approved your plan. You can now start coding.",
    data: { plan: "# Cents\n\n1. Change `total`", isAgent: false },
  },
  {
    name: "ExitPlanMode",
    input: { plan: "Rewrite everything" },
    content: "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    data: "User rejected tool use",
    isError: true,
  },
  {
    name: "SendMessage",
    input: { to: "reviewer", summary: "cents are in", message: "Please look at `total` again." },
    content: '{"success":true,"message":"Message sent to reviewer\'s inbox"}',
    data: { success: true, message: "Message sent to reviewer's inbox" },
  },
];
