import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Highlight } from "../../highlight.js";

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

/** Whether what is folded has to be there: in a file always, in a living page once it was opened. */
export function useUnfolded(): { readonly isUnfolded: boolean; readonly onToggle: (event: Event) => void } {
  const { isLazy } = useContext(PageToolsContext);
  const [wasOpened, setOpened] = useState(false);
  return {
    isUnfolded: !isLazy || wasOpened,
    onToggle: ({ currentTarget }) => {
      if (currentTarget instanceof HTMLDetailsElement && currentTarget.open) setOpened(true);
    },
  };
}

/** Files below the project are named from there. */
export function withoutProject(text: string, project: string | null): string {
  return project ? text.replaceAll(`${project}/`, "") : text;
}
