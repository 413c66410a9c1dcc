import { arrayAt, isTrueAt, stringAt } from "../../format/json.js";
import { formatCount } from "../format-values.js";
import { resultParts } from "./result-parts.js";
import type { ViewPart, ViewTool } from "./tool-view.js";

export const viewGlob: ViewTool = (call) => {
  const folder = stringAt(call.input, "path");
  return {
    title: call.summary + (folder === undefined ? "" : ` in ${folder}`),
    parts: fileList(call.resultData) ?? resultParts(call),
  };
};

/** Undefined where no list of files was noted. */
export function fileList(data: unknown): ViewPart[] | undefined {
  const names = arrayAt(data, "filenames").filter((name) => typeof name === "string");
  if (names.length === 0) return undefined;
  const more = isTrueAt(data, "truncated") ? ", more were left out" : "";
  return [{ kind: "code", text: names.join("\n"), language: null, label: formatCount(names.length, "file") + more }];
}
