import type { Highlight } from "../highlight.js";
import type { Style } from "./style.js";

export interface PaintOptions {
  readonly style: Style;
  /** Maximum line width; Infinity for pipes and files. */
  readonly columns: number;
  /** For pipes and files: Markdown stays source text, and nothing is wrapped, cut or folded. */
  readonly isPlain: boolean;
  /** Lines of any length are shown whole. */
  readonly isUncut?: boolean;
  readonly thinking: boolean;
  readonly tools: "full" | "brief" | "none";
  /** Null without colours. */
  readonly highlight: Highlight | null;
  /** The session's project folder; on a screen, paths inside it are shown relative to it. */
  readonly folder: string | null;
}
