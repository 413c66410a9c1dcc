import { createContext } from "preact";
import type { Highlight } from "../code/load-highlighter.js";

/** What components need besides their data. */
export interface PageTools {
  readonly highlight: Highlight;
  /** Markdown as safe HTML. */
  readonly markdown: (text: string) => string;
  /** Files below it are named from there. */
  readonly project: string | null;
  /** What is folded is painted when it is opened. */
  readonly isLazy?: boolean;
}

export const PageToolsContext = createContext<PageTools>({
  highlight: () => null,
  project: null,
  markdown: () => {
    throw new Error("components need page tools around them");
  },
});
