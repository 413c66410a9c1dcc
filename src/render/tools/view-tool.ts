import { refusalText } from "../../session/messages/tool-status.js";
import { errorText } from "../../session/prompts/wrappers.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { cutToColumns } from "../../text-width.js";
import { formatDuration } from "../format-values.js";
import { describeEnd } from "../labels.js";
import { viewAgent, viewSkill } from "./view-agents-and-skills.js";
import { viewGlob, viewGrep } from "./view-file-search.js";
import { viewEdit, viewNotebookEdit, viewRead, viewWrite } from "./view-files.js";
import { viewOther } from "./view-other.js";
import { imageParts, notePart, type ToolView, type ViewPart, type ViewTool } from "./view-parts.js";
import { viewPlan, viewQuestions } from "./view-questions-and-plans.js";
import { shellDiffParts, viewBash, viewStop, viewTaskOutput } from "./view-shell.js";
import { viewTask, viewTodos } from "./view-task-lists.js";
import { viewWebFetch, viewWebSearch } from "./view-web.js";

const VIEWS: ReadonlyMap<string, ViewTool> = new Map([
  ["Bash", viewBash],
  ["BashOutput", viewTaskOutput],
  ["TaskOutput", viewTaskOutput],
  ["AgentOutputTool", viewTaskOutput],
  ["KillShell", viewStop],
  ["TaskStop", viewStop],
  ["Read", viewRead],
  ["Write", viewWrite],
  ["Edit", viewEdit],
  ["MultiEdit", viewEdit],
  ["NotebookEdit", viewNotebookEdit],
  ["Glob", viewGlob],
  ["Grep", viewGrep],
  ["Task", viewAgent],
  ["Agent", viewAgent],
  ["TodoWrite", viewTodos],
  ["TaskCreate", viewTask],
  ["TaskUpdate", viewTask],
  ["TaskList", viewTask],
  ["TaskGet", viewTask],
  ["WebFetch", viewWebFetch],
  ["WebSearch", viewWebSearch],
  ["web_search", viewWebSearch], // run by the API itself
  ["AskUserQuestion", viewQuestions],
  ["ExitPlanMode", viewPlan],
  ["Skill", viewSkill],
  ["SlashCommand", viewSkill],
]);

const TITLE_COLUMNS = 300;

/** The view of a failed call shows its input, then the error; its result is not interpreted. */
export function viewTool(call: ToolCall): ToolView {
  const view = VIEWS.get(call.name) ?? viewOther;
  const { title, parts } = view(call.status === "ok" ? call : { ...call, result: null, resultData: null });
  const line = cutToColumns(
    title
      .slice(0, TITLE_COLUMNS * 8)
      .replace(/\s+/g, " ")
      .trim(),
    TITLE_COLUMNS,
  );
  return {
    title: line === call.name ? "" : line,
    parts: [...parts, ...shellDiffParts(call), ...imageParts(call), ...outcomeParts(call)],
  };
}

/** Errors, stored output and the end of a background task: the same for every tool. */
function outcomeParts(call: ToolCall): ViewPart[] {
  return [
    ...failureParts(call),
    ...notePart(call.replacement, "the model saw instead"),
    ...notePart(call.persistedOutput ?? undefined, "full output"),
    ...backgroundTaskParts(call),
  ];
}

function failureParts(call: ToolCall): ViewPart[] {
  const { status, result, resultData, resultBlocks, denial, personsWords } = call;
  if (status === "ok") return [];
  if (status === "orphan") return [{ kind: "text", text: "no result was recorded", label: "unknown" }];
  const text = errorText(result ?? "") || (typeof resultData === "string" ? resultData.trim() : "");
  if (denial === "user" && text !== "") {
    return [{ kind: "text", text: refusalText(text, personsWords), label: describeEnd(call), isError: true }];
  }
  const exit = /^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(text);
  if (text === "") {
    const blocks = resultBlocks.filter(({ kind }) => kind !== "image").map(({ raw }) => raw);
    return [
      { kind: "text", text: "no message was recorded", label: describeEnd(call), isError: true },
      ...(blocks.length > 0 ? [{ kind: "json", value: blocks, label: "result" } as const] : []),
    ];
  }
  if (!exit) return [{ kind: "text", text, label: describeEnd(call), isError: true }];
  const label = status === "error" ? `exit code ${exit[1]}` : `${status}, exit code ${exit[1]}`;
  return [{ kind: "code", text: text.slice(exit[0].length), language: null, label, isError: true }];
}

/** What Claude Code reported later about a call that went to the background. */
function backgroundTaskParts({ notification }: ToolCall): ViewPart[] {
  if (!notification) return [];
  const { status, summary, durationMs } = notification;
  const took = durationMs === null ? "" : ` (${formatDuration(durationMs)})`;
  const isError = status === "failed" || status === "killed" ? { isError: true as const } : {};
  return [{ kind: "text", text: `${summary ?? status ?? "ended"}${took}`, label: status ?? "ended", ...isError }];
}
