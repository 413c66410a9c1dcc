export type { Clean } from "../redact/create-redactor.js";
export type { RecordingOptions } from "./cast/session-cast.js";
export { sessionCast } from "./cast/session-cast.js";
export { type Highlight, loadHighlighter } from "./highlight.js";
export { sessionHtml } from "./html/export/session-html.js";
export { sessionMarkdown } from "./markdown/session-markdown.js";
export type { MarkdownOptions } from "./markdown/turn-markdown.js";
export type {
  ReadableSession,
  ReadableSubagent,
  RewoundBranch,
  ShownHeader,
  ShownSession,
  ShownSubagent,
  ShownTurn,
} from "./show-session.js";
export { type ShowingOptions, showSession, type TurnRange } from "./show-session.js";
export type { PaintOptions } from "./terminal/paint-options.js";
export { sessionText } from "./terminal/session-text.js";
export { createStyle, type Style } from "./terminal/style.js";
export type { CodePart, DiffPart, TodoItem, ToolView, ViewPart } from "./tools/view-parts.js";
export { viewTool } from "./tools/view-tool.js";
export type { TurnItem } from "./turn-items.js";
