import { arrayAt, numberAt, stringAt, tryParseJson } from "../../format/json.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { markdownPart, notePart, resultText, type ViewPart, type ViewTool } from "./view-parts.js";

export const viewWebFetch: ViewTool = (call) => {
  const { input, resultData } = call;
  const code = [numberAt(resultData, "code"), stringAt(resultData, "codeText")].filter((word) => word !== undefined);
  return {
    title: stringAt(input, "url") ?? call.summary,
    parts: [
      ...markdownPart(stringAt(input, "prompt"), "prompt"),
      ...notePart(code.join(" "), "status"),
      ...markdownPart(stringAt(resultData, "result") ?? resultText(call), "answer"),
    ],
  };
};

export const viewWebSearch: ViewTool = (call) => ({
  title: stringAt(call.input, "query") ?? call.summary,
  parts: foundParts(call),
});

function foundParts(call: ToolCall): ViewPart[] {
  const noted = arrayAt(call.resultData, "results");
  if (noted.length > 0) {
    const words = noted.filter((result) => typeof result === "string").join("\n\n");
    return [...linkTable(noted.flatMap((result) => arrayAt(result, "content"))), ...markdownPart(words, "answer")];
  }
  const text = resultText(call);
  return [
    ...linkTable([...linksInText(text), ...call.resultBlocks.map(({ raw }) => raw)]),
    ...markdownPart(withoutFrame(text), "answer"),
  ];
}

/** In the text for the model, links are JSON on lines of their own. */
const LINKS_LINE = /^Links: (\[.*\])$/gm;

/** Text that Claude Code adds for the model, seen from 2.0.50 on. */
const FRAME = /^Web search results for query: .*$|^REMINDER: You MUST include the sources above .*$/gm;

function withoutFrame(text: string): string {
  return text.replace(LINKS_LINE, "").replace(FRAME, "").trim();
}

function linksInText(text: string): unknown[] {
  return [...text.matchAll(LINKS_LINE)].flatMap(([, json]) => {
    const links = tryParseJson(json ?? "");
    return Array.isArray(links) ? links : [];
  });
}

function linkTable(links: readonly unknown[]): ViewPart[] {
  const rows = links.flatMap((link) => {
    const url = stringAt(link, "url");
    return url === undefined ? [] : [[stringAt(link, "title") ?? "", url]];
  });
  return rows.length > 0 ? [{ kind: "table", head: ["title", "URL"], rows }] : [];
}
