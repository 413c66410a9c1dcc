import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { PatchHunk } from "../../../format/record/file-changes.js";
import { formatCount } from "../../format-values.js";
import type { Highlight } from "../../highlight.js";
import { neutralize } from "../../safe-text.js";
import type { CodePart, DiffPart } from "../../tools/view-parts.js";
import { codeHtml, escapeHtml, lineHtml } from "./code-html.js";
import { PageToolsContext, withoutProject } from "./page-tools.js";

/** Source code or output in a scrolling box. Line numbers are a separate element, so that copying leaves them out. */
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

/** A change with its signs and the line numbers of both sides. */
export function DiffBlock({ path, language, hunks }: DiffPart) {
  const { highlight, project } = useContext(PageToolsContext);
  const signs = hunks.flatMap(({ lines }) => lines.map((line) => line[0]));
  const added = signs.filter((sign) => sign === "+").length;
  const removed = signs.filter((sign) => sign === "-").length;
  return (
    <figure class="part">
      <figcaption>
        {path === null ? "" : `${neutralize(withoutProject(path, project))} `}
        <span class="diff-count" role="img" aria-label={`${formatCount(added, "line")} added, ${removed} removed`}>
          <b class="added">+{added}</b> <b class="removed">−{removed}</b>
        </span>
      </figcaption>
      <ScrollBox class="code-box diff" label="changes">
        {hunks.map((hunk, index) => (
          <pre key={index} dangerouslySetInnerHTML={{ __html: hunkHtml(hunk, language, highlight) }} />
        ))}
      </ScrollBox>
    </figure>
  );
}

interface DiffLine {
  readonly sign: string;
  readonly text: string;
  readonly before: number | null; // line number; null on the side that does not have the line
  readonly after: number | null;
}

/** Each side is highlighted as a whole: a single line does not show whether it is inside a comment. */
function hunkHtml(hunk: PatchHunk, language: string | null, highlight: Highlight): string {
  const lines = numberLines(hunk);
  const sideOf = (isSide: (line: DiffLine) => boolean) => {
    const side = lines.filter(isSide);
    const coloured = highlight(side.map(({ text }) => text).join("\n"), language);
    return new Map(side.map((line, index) => [line, coloured?.[index]]));
  };
  const before = sideOf(({ sign }) => sign === "-");
  const after = sideOf(({ sign }) => sign !== "-");
  const digits = String(Math.max(...lines.map(({ before, after }) => Math.max(before ?? 0, after ?? 0)))).length;
  return lines
    .map((line) => {
      const coloured = before.get(line) ?? after.get(line);
      const html = coloured ? lineHtml(coloured) : escapeHtml(line.text);
      const numbers = hunk.newStart === 0 ? "" : ` data-lines="${numbersOf(line, digits)}"`;
      return `<span class="${LINE_CLASSES.get(line.sign) ?? "same"}"${numbers}>${signHtml(line.sign)}${html}\n</span>`;
    })
    .join("");
}

/** Bold, so that changes are visible without colours. */
function signHtml(sign: string): string {
  return sign === "+" || sign === "-" ? `<b>${sign}</b>` : escapeHtml(sign);
}

const LINE_CLASSES: ReadonlyMap<string, string> = new Map([
  ["+", "added"],
  ["-", "removed"],
  ["\\", "remark"],
]);

/** `\ No newline at end of file` is no line of either side. */
function numberLines({ oldStart, newStart, lines }: PatchHunk): DiffLine[] {
  let [before, after] = [oldStart, newStart];
  return lines.map((line) => {
    const sign = line[0] ?? " ";
    const text = neutralize(line.slice(1));
    const isBefore = sign !== "+" && sign !== "\\";
    const isAfter = sign !== "-" && sign !== "\\";
    return { sign, text, before: isBefore ? before++ : null, after: isAfter ? after++ : null };
  });
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
