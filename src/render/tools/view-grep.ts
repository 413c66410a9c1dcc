import { numberAt, stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { formatCount } from "../format-values.js";
import { resultParts, resultText } from "./result-parts.js";
import type { ViewPart, ViewTool } from "./tool-view.js";
import { fileList } from "./view-glob.js";

export const viewGrep: ViewTool = (call) => {
  const kind = stringAt(call.input, "glob") ?? stringAt(call.input, "type");
  return { title: call.summary + (kind === undefined ? "" : ` (${kind})`), parts: matchParts(call) };
};

function matchParts(call: ToolCall): ViewPart[] {
  const { input, resultData } = call;
  const content = stringAt(resultData, "content") ?? resultText(call);
  switch (stringAt(resultData, "mode") ?? stringAt(input, "output_mode")) {
    case "content": {
      const lines = numberAt(resultData, "numLines");
      const limit = numberAt(resultData, "appliedLimit");
      const cut = limit === undefined ? "" : `, cut at ${limit}`;
      const label = (lines === undefined ? "matches" : formatCount(lines, "line")) + cut;
      return content.trim() === "" ? resultParts(call) : [{ kind: "code", text: content, language: null, label }];
    }
    case "count": {
      const counts = countTable(content);
      return counts ? [counts] : resultParts(call);
    }
    default:
      return fileList(resultData) ?? resultParts(call);
  }
}

function countTable(content: string): ViewPart | undefined {
  const rows = content.split("\n").flatMap((line) => {
    const match = /^(.+):(\d+)$/.exec(line);
    return match ? [[match[1] ?? "", match[2] ?? ""]] : [];
  });
  return rows.length > 0 ? { kind: "table", head: ["file", "matches"], rows } : undefined;
}
