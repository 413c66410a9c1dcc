import type { McpTool } from "./define-tool.js";
import { filesTouchedTool } from "./tools/files-touched.js";
import { listSessionsTool } from "./tools/list-sessions.js";
import { searchSessionsTool } from "./tools/search-sessions.js";
import { sessionOutlineTool } from "./tools/session-outline.js";
import { sessionTurnsTool } from "./tools/session-turns.js";
import { usageStatsTool } from "./tools/usage-stats.js";

export const TOOLS: readonly McpTool[] = [
  searchSessionsTool,
  listSessionsTool,
  sessionOutlineTool,
  sessionTurnsTool,
  filesTouchedTool,
  usageStatsTool,
];
