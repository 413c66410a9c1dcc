import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import type { PatchHunk } from "../../../format/record/file-changes.js";
import { formatCount } from "../../format-values.js";
import type { Highlight } from "../../highlight.js";
import { capitalize } from "../../labels.js";
import { neutralize } from "../../safe-text.js";
import type { CodePart, DiffPart } from "../../tools/view-parts.js";
import { ansiHtml, hasColours } from "./ansi-html.js";
import { codeHtml, escapeHtml } from "./code-html.js";
import { type DiffLine, lineClass, signHtml, toDiffLines } from "./diff-lines.js";
import { PageToolsContext, withoutProject } from "./page-tools.js";

/** Source code or output in a scrolling box. Line numbers are a separate element, so that copying leaves them out. */
export function CodeBlock({ text, language, firstLine, label, isError }: Omit<CodePart, "kind">) {
  const { highlight } = useContext(PageToolsContext);
  const { copy } = useContext(PageToolsContext);
  const [isWhole, setWhole] = useState(false);
  const code = neutralize(text).replace(/\n$/, "");
  const lines = highlight(code, language);
  const html = lines ? codeHtml(lines) : hasColours(text) ? ansiHtml(text.replace(/\n$/, "")) : escapeHtml(code);
  const count = countLines(code);
  return (
    <figure class={isError ? "part is-error" : "part"}>
      {label === undefined && !copy ? null : (
        <figcaption>
          {label === undefined ? null : <span>{neutralize(label)}</span>}
          {copy && count > MANY_LINES ? (
            <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
              {isWhole ? "Show less" : `Show all ${formatCount(count, "line")}`}
            </button>
          ) : null}
          {copy ? (
            <button type="button" class="link copy-text" onClick={() => copy(code, label ? capitalize(label) : "Text")}>
              Copy
            </button>
          ) : null}
        </figcaption>
      )}
      <ScrollBox class={isWhole ? "code-box whole" : "code-box"} label={label ? neutralize(label) : "code"}>
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

/** More than a box shows at once. */
const MANY_LINES = 30;

function countLines(code: string): number {
  let count = 1;
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) count += 1;
  return count;
}

function numbers(first: number, code: string): string {
  return Array.from({ length: countLines(code) }, (_, index) => first + index).join("\n");
}

/** A change with its signs and the line numbers of both sides. */
export function DiffBlock({ path, language, hunks }: DiffPart) {
  const { highlight, project } = useContext(PageToolsContext);
  const signs = hunks.flatMap(({ lines }) => lines.map((line) => line[0]));
  const count = (sign: string) => signs.filter((one) => one === sign).length;
  return (
    <figure class="part">
      <figcaption>
        {path === null ? "" : `${neutralize(withoutProject(path, project))} `}
        <LineCounts added={count("+")} removed={count("-")} />
      </figcaption>
      <ScrollBox class="code-box diff" label="changes">
        {hunks.map((hunk, index) => (
          <pre key={index} dangerouslySetInnerHTML={{ __html: hunkHtml(hunk, language, highlight) }} />
        ))}
      </ScrollBox>
    </figure>
  );
}

/** Nothing for a side without changes. */
export function LineCounts({ added, removed }: { readonly added: number; readonly removed: number }) {
  const words = `${formatCount(added, "line")} added, ${removed} removed`;
  return (
    <span class="diff-count" role="img" aria-label={words}>
      {added > 0 ? <b class="added">+{added}</b> : null} {removed > 0 ? <b class="removed">−{removed}</b> : null}
    </span>
  );
}

function hunkHtml(hunk: PatchHunk, language: string | null, highlight: Highlight): string {
  const lines = toDiffLines(hunk, language, highlight);
  const digits = String(Math.max(...lines.map(({ before, after }) => Math.max(before ?? 0, after ?? 0)))).length;
  return lines
    .map((line) => {
      const numbers = hunk.newStart === 0 ? "" : ` data-lines="${numbersOf(line, digits)}"`;
      return `<span class="${lineClass(line)}"${numbers}>${signHtml(line.sign)}${line.html}\n</span>`;
    })
    .join("");
}

function numbersOf({ before, after }: DiffLine, digits: number): string {
  return [before, after].map((number) => String(number ?? "").padStart(digits)).join(" ");
}

interface ScrollBoxProps {
  readonly class: string;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A box that scrolls on its own, also by keyboard. */
export function ScrollBox({ class: name, label, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll the box
    <div class={name} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
