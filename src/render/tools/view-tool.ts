import type { ToolCall } from "../../session/pair-tool-calls.js";
import { cutToColumns } from "../../session/titles.js";
import { imageParts } from "./image-parts.js";
import { outcomeParts } from "./outcome-parts.js";
import type { ToolView, ViewTool } from "./tool-view.js";
import { viewAgent } from "./view-agent.js";
import { viewBash } from "./view-bash.js";
import { viewEdit } from "./view-edit.js";
import { viewGlob } from "./view-glob.js";
import { viewGrep } from "./view-grep.js";
import { viewNotebookEdit } from "./view-notebook-edit.js";
import { viewOther } from "./view-other.js";
import { viewPlan } from "./view-plan.js";
import { viewQuestions } from "./view-questions.js";
import { viewRead } from "./view-read.js";
import { viewSkill } from "./view-skill.js";
import { viewStop } from "./view-stop.js";
import { viewTask } from "./view-task.js";
import { viewTaskOutput } from "./view-task-output.js";
import { viewTodos } from "./view-todos.js";
import { viewWebFetch } from "./view-web-fetch.js";
import { viewWebSearch } from "./view-web-search.js";
import { viewWrite } from "./view-write.js";

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

/** A failed call has no result to look at: its view tells what was asked, then what went wrong. */
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
    parts: [...parts, ...imageParts(call), ...outcomeParts(call)],
  };
}
