import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Highlight } from "../../highlight.js";

/** Functions and settings that all components of a page share. */
export interface PageTools {
  readonly highlight: Highlight;
  /** Markdown as safe HTML. */
  readonly markdown: (text: string) => string;
  /** Paths of files in it are shown relative to it. */
  readonly project: string | null;
  /** Copies a text; missing in an exported file. */
  readonly copy?: (text: string, what: string) => void;
  /** Folded content is rendered when it is opened. */
  readonly isLazy?: boolean;
}

export const PageToolsContext = createContext<PageTools>({
  highlight: () => null,
  project: null,
  markdown: () => {
    throw new Error("components need page tools around them");
  },
});

/** Whether folded content must be rendered: always in an exported file, in the web UI once it was opened. */
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

export function withoutProject(text: string, project: string | null): string {
  return project ? text.replaceAll(`${project}/`, "") : text;
}
