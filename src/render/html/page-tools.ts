import { createContext } from "preact";
import type { Highlight } from "../code/load-highlighter.js";

/** What components need besides their data. */
export interface PageTools {
  readonly highlight: Highlight;
  /** Markdown as safe HTML. */
  readonly markdown: (text: string) => string;
  /** Files below it are named from there. */
  readonly project: string | null;
}

export const PageToolsContext = createContext<PageTools>({
  highlight: () => null,
  project: null,
  markdown: () => {
    throw new Error("components need page tools around them");
  },
});
