import { useEffect, useMemo, useState } from "preact/hooks";
import type { Highlight } from "../../render/code/load-highlighter.js";
import { createMarkdownHtml } from "../../render/html/create-markdown-html.js";
import type { PageTools } from "../../render/html/page-tools.js";
import { atRest } from "../at-rest.js";

let loading: Promise<Highlight> | undefined;

/** Code is plain until the highlighter is there. */
export function usePageTools(project: string | null): PageTools {
  const [loaded, setLoaded] = useState<{ readonly highlight: Highlight }>({ highlight: plain });
  useEffect(() => {
    loading ??= atRest().then(async () => {
      const { loadHighlighter } = await import("../../render/code/load-highlighter.js");
      return loadHighlighter();
    });
    void loading.then((highlight) => setLoaded({ highlight }));
  }, []);
  return useMemo(
    () => ({ highlight: loaded.highlight, markdown: createMarkdownHtml(loaded.highlight), project, isLazy: true }),
    [loaded, project],
  );
}

const plain: Highlight = () => null;
