import { useContext } from "preact/hooks";
import { neutralize } from "../neutralize.js";
import type { CodePart } from "../tools/tool-view.js";
import { codeHtml, escapeHtml } from "./code-html.js";
import { PageToolsContext } from "./page-tools.js";
import { ScrollBox } from "./scroll-box.js";

/** Source code or output in a box that scrolls by itself; numbers stand beside it, so that they are not copied along. */
export function CodeBlock({ text, language, firstLine, label, isError }: Omit<CodePart, "kind">) {
  const { highlight } = useContext(PageToolsContext);
  const code = neutralize(text).replace(/\n$/, "");
  const lines = highlight(code, language);
  const html = lines ? codeHtml(lines) : escapeHtml(code);
  return (
    <figure class={isError ? "part is-error" : "part"}>
      {label === undefined ? null : <figcaption>{neutralize(label)}</figcaption>}
      <ScrollBox class="code-box" label={label ? neutralize(label) : "code"}>
        {firstLine === undefined ? null : (
          <pre class="line-numbers" aria-hidden="true">
            {numbers(firstLine, code)}
          </pre>
        )}
        <pre>
          <code dangerouslySetInnerHTML={{ __html: html }} />
        </pre>
      </ScrollBox>
    </figure>
  );
}

function numbers(first: number, code: string): string {
  let count = 1;
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) count += 1;
  return Array.from({ length: count }, (_, index) => first + index).join("\n");
}
