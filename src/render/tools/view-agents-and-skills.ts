import { arrayAt, numberAt, stringAt } from "../../format/json.js";
import { toAgentCall } from "../../format/record/content-block.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { formatCount, formatTokens } from "../format-values.js";
import { markdownPart, notePart, resultParts, resultText, type ViewPart, type ViewTool } from "./view-parts.js";

export const viewAgent: ViewTool = (call) => {
  const { description, prompt, type } = toAgentCall(call.input);
  const agent: ViewPart = { kind: "agent", agentId: call.agentId, description: description ?? type ?? "" };
  return {
    title: call.summary,
    parts: [
      agent,
      ...markdownPart(prompt ?? stringAt(call.resultData, "prompt"), "prompt"),
      ...answerParts(call),
      ...notePart(describeEnd(call.resultData), "at its end"),
    ],
  };
};

/** The structured result holds the bare report; the text for the model wraps it in a frame. */
function answerParts(call: ToolCall): ViewPart[] {
  if (stringAt(call.resultData, "status") === "async_launched") return notePart(resultText(call), "launched");
  const noted = arrayAt(call.resultData, "content").flatMap((block) => stringAt(block, "text") ?? []);
  return markdownPart(noted.at(-1) ?? reportInFrame(resultText(call)), "answer");
}

/** Plain in 2.1.45, indented after a warning in 2.1.325; both end with the agent's id and its usage. */
function reportInFrame(text: string): string {
  const tail = text.lastIndexOf("\nagentId: ");
  const body = tail >= 0 && text.trimEnd().endsWith("</usage>") ? text.slice(0, tail) : text;
  const frame = /^\[Subagent hand-back\][^\n]*\n/m.exec(body);
  return frame ? body.slice(frame.index + frame[0].length).replace(/^ {2}/gm, "") : body;
}

/** `totalTokens` is the context of its last message, not what it spent. */
function describeEnd(data: unknown): string {
  const tokens = numberAt(data, "totalTokens");
  const calls = numberAt(data, "totalToolUseCount");
  return [
    tokens === undefined ? "" : `context of ${formatTokens(tokens)} tokens`,
    calls === undefined ? "" : formatCount(calls, "tool call"),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** Skill, and SlashCommand, whose name and arguments are one text. */
export const viewSkill: ViewTool = (call) => {
  const name = stringAt(call.input, "skill") ?? stringAt(call.input, "command");
  const args = stringAt(call.input, "args");
  return {
    title: name === undefined ? call.summary : `${name} ${args ?? ""}`,
    parts: [
      ...notePart(stringAt(call.input, "command"), "command"),
      ...notePart(args, "arguments"),
      ...resultParts(call),
    ],
  };
};
