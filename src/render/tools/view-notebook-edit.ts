import { stringAt } from "../../format/json.js";
import { resultParts } from "./result-parts.js";
import type { ViewPart, ViewTool } from "./tool-view.js";

export const viewNotebookEdit: ViewTool = (call) => {
  const { input, resultData, summary } = call;
  const mode = stringAt(input, "edit_mode") ?? "replace";
  const id = stringAt(input, "cell_id") ?? stringAt(resultData, "cell_id");
  const label = `${mode} ${id === undefined ? "cell" : `cell ${id}`}`;
  const text = stringAt(input, "new_source");
  const isMarkdown = (stringAt(input, "cell_type") ?? stringAt(resultData, "cell_type")) === "markdown";
  const language = isMarkdown ? "markdown" : (stringAt(resultData, "language") ?? "python");
  const cell: ViewPart[] = text === undefined || mode === "delete" ? [] : [{ kind: "code", text, language, label }];
  return { title: `${summary} ${label}`, parts: cell.length > 0 ? cell : resultParts(call) };
};
