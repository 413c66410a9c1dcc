import type { AgentType } from "../sub-agents/agent-types.js";
import { askUserQuestionTool, exitPlanModeTool, todoWriteTool } from "./conversation-tools.js";
import { editTool, multiEditTool } from "./files/edit-file.js";
import { readTool } from "./files/read-file.js";
import { writeTool } from "./files/write-file.js";
import { globTool, grepTool } from "./search/glob-and-grep.js";
import { bashTool } from "./shell/bash.js";
import { bashOutputTool, killShellTool } from "./shell/bash-output.js";
import { createTaskTool } from "./task.js";
import type { Tool } from "./tool.js";
import { webFetchTool } from "./web/web-fetch.js";
import { webSearchTool } from "./web/web-search.js";

/** Newer Claude Code versions use this name, and their sessions can be resumed here. */
const ALIASES: Readonly<Record<string, string>> = { Agent: "Task" };

/** For the main conversation only. */
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

/** Tools of a sub-agent; at the maximum depth it cannot launch others. */
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
