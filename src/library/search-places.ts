import type { TextKind } from "../session/search-texts.js";

/** The words of `--in`, and the kinds of text that they choose. */
export const SEARCH_PLACES: Readonly<Record<string, readonly TextKind[]>> = {
  prompts: ["prompt"],
  answers: ["answer"],
  thinking: ["thinking"],
  commands: ["command"],
  tools: ["toolInput", "command"],
  results: ["toolOutput"],
  titles: ["title"],
  files: ["file"],
};
