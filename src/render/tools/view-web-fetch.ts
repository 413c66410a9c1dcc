import { numberAt, stringAt } from "../../format/json.js";
import { markdownPart, notePart, resultText } from "./result-parts.js";
import type { ViewTool } from "./tool-view.js";

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
