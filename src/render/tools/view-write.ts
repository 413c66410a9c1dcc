import { stringAt } from "../../format/json.js";
import { toPatchHunks } from "../../format/structured-patch.js";
import { languageOf } from "./language-of.js";
import { resultParts } from "./result-parts.js";
import type { ViewTool } from "./tool-view.js";
import { diffPart, touchedParts } from "./view-edit.js";

/** A new file as a whole, a file that was there before as what changed in it. */
export const viewWrite: ViewTool = (call) => {
  const { input, resultData, summary: title } = call;
  const path = stringAt(input, "file_path");
  const text = stringAt(input, "content");
  const hunks = toPatchHunks(resultData);
  if (hunks.length > 0) return { title, parts: [diffPart(path, hunks), ...touchedParts(call)] };
  if (text === undefined) return { title, parts: resultParts(call) };
  const label = stringAt(resultData, "type") === "create" ? { label: "new file" } : {};
  return {
    title,
    parts: [{ kind: "code", text, language: languageOf(path ?? ""), firstLine: 1, ...label }, ...touchedParts(call)],
  };
};
