import type { AgentType } from "./agent-types.js";
import { askUserQuestionTool } from "./tools/ask-user-question.js";
import { bashTool } from "./tools/bash.js";
import { bashOutputTool } from "./tools/bash-output.js";
import { editTool } from "./tools/edit.js";
import { exitPlanModeTool } from "./tools/exit-plan-mode.js";
import { globTool } from "./tools/glob.js";
import { grepTool } from "./tools/grep.js";
import { killShellTool } from "./tools/kill-shell.js";
import { multiEditTool } from "./tools/multi-edit.js";
import { readTool } from "./tools/read.js";
import { createTaskTool } from "./tools/task.js";
import { todoWriteTool } from "./tools/todo-write.js";
import type { Tool } from "./tools/tool.js";
import { webFetchTool } from "./tools/web-fetch.js";
import { webSearchTool } from "./tools/web-search.js";
import { writeTool } from "./tools/write.js";

/** Newer clients call the tool so, and sessions of theirs may be gone on with. */
const ALIASES: Readonly<Record<string, string>> = { Agent: "Task" };

/** For the person's own conversation only. */
const MAIN_ONLY = ["AskUserQuestion", "ExitPlanMode"];

export function allTools(agentTypes: readonly AgentType[]): readonly Tool[] {
  return [
    readTool,
    writeTool,
    editTool,
    multiEditTool,
    bashTool,
    bashOutputTool,
    killShellTool,
    globTool,
    grepTool,
    todoWriteTool,
    createTaskTool(agentTypes),
    webFetchTool,
    webSearchTool,
    askUserQuestionTool,
    exitPlanModeTool,
  ];
}

/** Those of a sub-agent; deeper than allowed it cannot launch others. */
export function agentTools(tools: readonly Tool[], type: AgentType, mayLaunch: boolean): readonly Tool[] {
  const isWanted = ({ name }: Tool) => !type.tools || type.tools.includes("*") || type.tools.includes(name);
  return tools.filter(
    (tool) => !MAIN_ONLY.includes(tool.name) && isWanted(tool) && (mayLaunch || tool.name !== "Task"),
  );
}

export function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const map = new Map(tools.map((tool) => [tool.name, tool]));
  for (const [alias, name] of Object.entries(ALIASES)) {
    const tool = map.get(name);
    if (tool) map.set(alias, tool);
  }
  return map;
}
