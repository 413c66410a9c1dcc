import { arrayAt, isTrueAt, numberAt, stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { formatCount } from "../format-values.js";
import { resultParts, resultText, type ViewPart, type ViewTool } from "./view-parts.js";

export const viewGlob: ViewTool = (call) => {
  const folder = stringAt(call.input, "path");
  return {
    title: call.summary + (folder === undefined ? "" : ` in ${folder}`),
    parts: fileList(call.resultData) ?? resultParts(call),
  };
};

/** Undefined if no list of files was recorded. */
function fileList(data: unknown): ViewPart[] | undefined {
  const names = arrayAt(data, "filenames").filter((name) => typeof name === "string");
  if (names.length === 0) return undefined;
  const more = isTrueAt(data, "truncated") ? ", more omitted" : "";
  return [{ kind: "code", text: names.join("\n"), language: null, label: formatCount(names.length, "file") + more }];
}

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
      const cut = limit === undefined ? "" : `, limited to ${limit}`;
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
