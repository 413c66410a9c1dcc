import type { ToolCall } from "../../session/pair-tool-calls.js";
import { formatCost, formatCount, formatDuration, formatTokens, totalTokens } from "../format-values.js";
import type { ShownSubagent } from "../shown-session.js";
import { shownToolName } from "../tools/shown-tool-name.js";
import { viewTool } from "../tools/view-tool.js";
import { CLOSE_DETAILS, codeSpan, htmlWords, openDetails, plainWords } from "./markdown-text.js";
import { partMarkdown } from "./part-markdown.js";
import type { Telling } from "./telling.js";

/** A tool call, folded, with the sub-agents that it launched inside. */
export function* callMarkdown(call: ToolCall, telling: Telling): Generator<string> {
  const { title, parts } = viewTool(call);
  const agents = telling.depth === 0 ? [] : telling.session.launchedBy(call.id);
  if (telling.options.tools === "brief") {
    yield briefCall(call, title);
    for (const agent of agents) yield* subagentMarkdown(agent, telling);
    return;
  }
  const name = `<b>${htmlWords(shownToolName(call.name))}</b>`;
  const what = title === "" ? "" : ` <code>${htmlWords(title)}</code>`;
  yield `\n${openDetails(`${sign(call)} ${name}${what}${took(call)}`)}`;
  for (const part of parts) yield partMarkdown(part);
  for (const agent of agents) yield* subagentMarkdown(agent, telling);
  yield `\n${CLOSE_DETAILS}`;
}

/** A paragraph and no list: what follows may be anybody's Markdown, and must not continue it. */
function briefCall(call: ToolCall, title: string): string {
  const reason = call.status === "ok" ? "" : firstWords(call.result ?? "");
  const why = reason === "" ? "" : `: ${plainWords(reason)}`;
  const what = title === "" ? "" : ` ${codeSpan(title)}`;
  return `\n${sign(call)} **${plainWords(shownToolName(call.name))}**${what}${took(call)}${why}\n`;
}

function firstWords(text: string): string {
  return text.trim().split("\n", 1)[0]?.slice(0, 200) ?? "";
}

function sign({ status }: ToolCall): string {
  switch (status) {
    case "ok":
      return "✓";
    case "orphan":
      return "? (no result)";
    case "error":
      return "✗";
    case "denied":
    case "interrupted":
      return `✗ (${status})`;
  }
}

function took({ durationMs }: ToolCall): string {
  return durationMs === null ? "" : ` · ${formatDuration(durationMs)}`;
}

/** All turns of a sub-agent, folded. Each is told once. */
export function* subagentMarkdown(subagent: ShownSubagent, telling: Telling): Generator<string> {
  const { agentId, type, description, totals } = subagent;
  if (telling.told.has(agentId)) return;
  telling.told.add(agentId);
  const name = [type, description].filter((part) => part).join(": ") || agentId;
  const figures = [
    formatCount(totals.messages, "message"),
    formatCount(totals.toolCalls, "tool call"),
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ];
  yield `\n${openDetails(`Sub-agent <b>${htmlWords(name)}</b> · ${figures.join(" · ")}`)}`;
  const session = subagent.open();
  const inside = { ...telling, session, depth: telling.depth - 1 };
  for (const shown of session.turns()) yield* telling.turnBody(shown, inside);
  yield `\n${CLOSE_DETAILS}`;
}
