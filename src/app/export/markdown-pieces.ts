import { sessionMarkdown } from "../../render/markdown/session-markdown.js";
import type { ShownSession } from "../../render/show-session.js";
import type { FormatOptions } from "./export-formats.js";

export function markdownPieces(session: ShownSession, options: FormatOptions): Iterable<string> {
  const { tools = "full", thinking, depth = Number.POSITIVE_INFINITY, turns } = options;
  return sessionMarkdown(session, { tools, thinking, depth, isWhole: turns === undefined });
}
