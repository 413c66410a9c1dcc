import { isObject } from "../../format/json.js";
import type { ViewTool } from "./tool-view.js";
import { askedParts, cameBackParts } from "./view-other.js";

/** `mcp__server__tool`: the server's own name may hold single underscores. */
export const viewMcp: ViewTool = (call) => {
  const [server = "", ...tool] = call.name.slice("mcp__".length).split("__");
  const keys = isObject(call.input) && call.summary !== "" ? ` (${call.summary})` : "";
  return { title: `${server}: ${tool.join("__")}${keys}`, parts: [...askedParts(call), ...cameBackParts(call)] };
};
