import { arrayAt, objectAt, stringAt, valueAt } from "../../format/json.js";
import type { ToolStatus } from "../../session/messages/tool-status.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { markdownPart, notePart, resultParts, type ViewPart, type ViewTool } from "./view-parts.js";

/** AskUserQuestion: the offered choices, and the chosen one or the text written instead. */
export const viewQuestions: ViewTool = (call) => {
  const questions = arrayAt(call.input, "questions");
  const titles = questions.flatMap((question) => stringAt(question, "question") ?? []);
  const answers = objectAt(call.resultData, "answers") ?? objectAt(call.input, "answers");
  return {
    title: titles.join(" ") || call.summary,
    parts: [
      ...questions.flatMap((question) => questionParts(question, answers, call)),
      ...(answers && titles.length > 0 ? [] : resultParts(call, "answer")),
    ],
  };
};

function questionParts(question: unknown, answers: unknown, call: ToolCall): ViewPart[] {
  const words = stringAt(question, "question") ?? "";
  const chosen = chosenLabels(valueAt(answers, words));
  const options = arrayAt(question, "options").flatMap((option) => {
    const label = stringAt(option, "label");
    return label === undefined ? [] : [{ label, description: stringAt(option, "description") ?? "" }];
  });
  const isChosen = (label: string) => chosen.whole === label || chosen.parts.includes(label);
  const isOffered = options.some(({ label }) => isChosen(label));
  const rows = options.map(({ label, description }) => [label, description, isChosen(label) ? "✓" : ""]);
  if (!isOffered && chosen.whole !== "") rows.push([chosen.whole, "", "✓"]);
  const notes = stringAt(valueAt(objectAt(call.resultData, "annotations"), words), "notes");
  return [{ kind: "table", head: [words, "", "answer"], rows }, ...notePart(notes, "note")];
}

/** Several choices are recorded as one text with commas or as a list. */
function chosenLabels(answer: unknown): { readonly whole: string; readonly parts: readonly string[] } {
  const parts = Array.isArray(answer) ? answer.filter((part) => typeof part === "string") : undefined;
  const whole = typeof answer === "string" ? answer : (parts ?? []).join(", ");
  return { whole, parts: parts ?? whole.split(", ") };
}

/** ExitPlanMode: the plan, and whether the user accepted it; they may have changed it. */
export const viewPlan: ViewTool = (call) => {
  const plan = stringAt(call.input, "plan") ?? stringAt(call.resultData, "plan");
  const approved = call.personsWords.find(({ kind }) => kind === "plan")?.text;
  const file = stringAt(call.resultData, "filePath") ?? stringAt(call.input, "planFilePath");
  return {
    title: `plan ${PLAN_OUTCOMES[call.status]}${headline(approved ?? plan)}`,
    parts: [
      ...markdownPart(approved ?? plan, "plan"),
      ...(approved === undefined || approved.trim() === plan?.trim() ? [] : markdownPart(plan, "plan as proposed")),
      ...notePart(file, "file"),
      ...(approved !== undefined && call.result?.includes(approved) ? [] : resultParts(call, "answer")),
    ],
  };
};

const PLAN_OUTCOMES: Readonly<Record<ToolStatus, string>> = {
  ok: "accepted",
  denied: "rejected",
  interrupted: "interrupted",
  error: "failed",
  orphan: "proposed",
};

function headline(plan: string | undefined): string {
  const line = plan?.split("\n").find((text) => text.trim() !== "");
  return line === undefined ? "" : `: ${line.replace(/^#+\s*/, "")}`;
}
