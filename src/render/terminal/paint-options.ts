import type { Highlight } from "../highlight.js";
import type { Style } from "./style.js";

/** How a session is painted. */
export interface PaintOptions {
  readonly style: Style;
  /** Nothing is wider; Infinity where nobody looks at a screen. */
  readonly columns: number;
  /** For pipes and files: Markdown as it was written, nothing wrapped, cut or folded. */
  readonly isPlain: boolean;
  readonly thinking: boolean;
  readonly tools: "full" | "brief" | "none";
  /** Null where there are no colours. */
  readonly highlight: Highlight | null;
  /** The session's own: paths in it are told without it on a screen. */
  readonly folder: string | null;
}
