import type { ToolCall } from "../../session/pair-tool-calls.js";
import { textInTag } from "../../session/wrappers.js";
import type { ViewPart } from "./tool-view.js";

/** What came back as the model read it, where a tool has nothing better to show. */
export function resultParts(call: ToolCall, label?: string): ViewPart[] {
  const text = resultText(call);
  return text.trim() === "" ? [] : [{ kind: "text", text, ...(label === undefined ? {} : { label }) }];
}

/** Output that was too large stands in a frame that tells where the rest is; of it only the beginning is shown here. */
export function resultText({ result }: ToolCall): string {
  const frame = result?.startsWith("<persisted-output>") ? textInTag(result, "persisted-output") : undefined;
  if (frame === undefined) return result ?? "";
  const preview = frame.search(/^Preview \(.*\):$/m);
  return preview < 0 ? frame : frame.slice(frame.indexOf("\n", preview) + 1);
}

/** What a program or a service printed. */
export function outputPart(text: string, label?: string): ViewPart {
  return { kind: "code", text, language: null, ...(label === undefined ? {} : { label }) };
}

/** Nothing for what is missing or blank. */
export function markdownPart(text: string | undefined | null, label: string): ViewPart[] {
  return text?.trim() ? [{ kind: "markdown", text, label }] : [];
}

export function notePart(text: string | undefined, label: string): ViewPart[] {
  return text?.trim() ? [{ kind: "text", text, label }] : [];
}
