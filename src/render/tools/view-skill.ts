import { stringAt } from "../../format/json.js";
import { notePart, resultParts } from "./result-parts.js";
import type { ViewTool } from "./tool-view.js";

/** Skill, and SlashCommand, in which name and arguments are one text. */
export const viewSkill: ViewTool = (call) => {
  const name = stringAt(call.input, "skill") ?? stringAt(call.input, "command");
  const args = stringAt(call.input, "args");
  return {
    title: name === undefined ? call.summary : `${name} ${args ?? ""}`,
    parts: [
      ...notePart(stringAt(call.input, "command"), "command"),
      ...notePart(args, "arguments"),
      ...resultParts(call),
    ],
  };
};
