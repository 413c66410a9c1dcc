import { useContext } from "preact/hooks";
import type { PatchHunk } from "../../format/structured-patch.js";
import type { Highlight } from "../code/load-highlighter.js";
import { formatCount } from "../format-values.js";
import { neutralize } from "../neutralize.js";
import type { DiffPart } from "../tools/tool-view.js";
import { escapeHtml, lineHtml } from "./code-html.js";
import { PageToolsContext } from "./page-tools.js";
import { ScrollBox } from "./scroll-box.js";
import { withoutProject } from "./without-project.js";

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

/** Each side is coloured as a whole, since a line alone does not tell whether it stands in a comment. */
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
      return `<span class="${CLASSES.get(line.sign) ?? "same"}"${numbers}>${signHtml(line.sign)}${html}\n</span>`;
    })
    .join("");
}

/** Told by weight too: not everybody sees the colours. */
function signHtml(sign: string): string {
  return sign === "+" || sign === "-" ? `<b>${sign}</b>` : escapeHtml(sign);
}

const CLASSES: ReadonlyMap<string, string> = new Map([
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
