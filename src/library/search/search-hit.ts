import type { TextKind } from "../../session/search-texts.js";
import type { Snippet } from "./snippet.js";

/** One text in which a query was found. */
export interface SearchHit {
  readonly sessionId: string;
  readonly path: string;
  readonly project: string | null;
  readonly title: string;
  /** Null outside the active branch, and before the first prompt. */
  readonly turn: number | null;
  readonly line: number;
  readonly kind: TextKind;
  readonly tool: string | null;
  readonly toolUseId: string | null;
  readonly timestamp: string | null;
  readonly snippet: string;
  /** How the turn begins. */
  readonly prompt: string | null;
  /** Set when a sub-agent said it. */
  readonly agentId: string | null;
  /** Where in the snippet the matches are. */
  readonly marks: Snippet["marks"];
}

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
