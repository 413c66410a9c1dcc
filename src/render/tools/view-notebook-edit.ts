import { stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { resultParts } from "./result-parts.js";
import type { ViewTool } from "./tool-view.js";

export const viewNotebookEdit: ViewTool = (call) => {
  const { input, resultData } = call;
  const path = stringAt(input, "notebook_path");
  const text = stringAt(input, "new_source");
  const isMarkdown = (stringAt(input, "cell_type") ?? stringAt(resultData, "cell_type")) === "markdown";
  const language = isMarkdown ? "markdown" : (stringAt(resultData, "language") ?? "python");
  return {
    title: path === undefined ? call.summary : `${path} (${describeCell(call)})`,
    parts: text && editMode(input) !== "delete" ? [{ kind: "code", text, language }] : resultParts(call),
  };
};

/** A new cell comes after the one that is named, and gets an id of its own. */
function describeCell({ input, resultData }: ToolCall): string {
  const mode = editMode(input);
  const named = stringAt(input, "cell_id");
  const id = mode === "insert" ? stringAt(resultData, "cell_id") : (named ?? stringAt(resultData, "cell_id"));
  const words = [mode, "cell", id, mode === "insert" && named !== undefined ? `after ${named}` : undefined];
  return words.filter((word) => word !== undefined).join(" ");
}

function editMode(input: unknown): string {
  return stringAt(input, "edit_mode") ?? "replace";
}
