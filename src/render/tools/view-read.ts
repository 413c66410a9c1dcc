import { arrayAt, numberAt, objectAt, stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { stripContext } from "../../session/wrappers.js";
import { languageOf } from "./language-of.js";
import { notebookParts } from "./notebook-parts.js";
import { resultParts, resultText } from "./result-parts.js";
import type { CodePart, ViewPart, ViewTool } from "./tool-view.js";

export const viewRead: ViewTool = (call) => ({ title: call.summary + readRange(call), parts: readParts(call) });

/** Only what is less than the file is worth a word. */
function readRange({ input, resultData }: ToolCall): string {
  const pages = stringAt(input, "pages");
  if (pages !== undefined) return ` (pages ${pages})`;
  const file = objectAt(resultData, "file");
  const first = numberAt(file, "startLine") ?? numberAt(input, "offset");
  const count = numberAt(file, "numLines") ?? numberAt(input, "limit");
  const total = numberAt(file, "totalLines");
  if ((first === undefined && count === undefined) || ((first ?? 1) <= 1 && count === total)) return "";
  if (count === undefined) return ` (from line ${first})`;
  const from = first ?? 1;
  return ` (lines ${from}-${from + count - 1}${total === undefined ? "" : ` of ${total}`})`;
}

function readParts(call: ToolCall): ViewPart[] {
  const { input, resultData } = call;
  const language = languageOf(stringAt(input, "file_path") ?? "");
  const content = stringAt(resultData, "file", "content");
  switch (stringAt(resultData, "type")) {
    case "image":
      return [];
    case "notebook": {
      const cells = notebookParts(arrayAt(resultData, "file", "cells"));
      return cells.length > 0 ? cells : resultParts(call);
    }
    case "text":
      if (!content) break;
      return [{ kind: "code", text: content, language, firstLine: numberAt(resultData, "file", "startLine") ?? 1 }];
  }
  const excerpt = numberedExcerpt(resultText(call), language);
  return excerpt ? [excerpt] : resultParts(call);
}

/** `     1→text` up to client 2.1.81, `1<tab>text` from 2.1.90. */
const NUMBERED = /^ *(\d+)(?:→|\t)(.*)$/s;

function numberedExcerpt(result: string, language: string | null): CodePart | undefined {
  const lines = stripContext(result).text.split("\n");
  const first = NUMBERED.exec(lines[0] ?? "")?.[1];
  if (first === undefined) return undefined;
  const text = lines.map((line) => NUMBERED.exec(line)?.[2] ?? line).join("\n");
  return { kind: "code", text, language, firstLine: Number(first) };
}
