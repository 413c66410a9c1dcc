import type { TextKind } from "../../session/search-texts.js";
import type { Snippet } from "./snippet.js";

/** A text that matches a query. */
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
  /** First line of the turn's prompt. */
  readonly prompt: string | null;
  /** Set for texts of a sub-agent. */
  readonly agentId: string | null;
  /** Places of the matches in the snippet. */
  readonly marks: Snippet["marks"];
}

/** The values of `--in` and the kinds of text they select. */
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
