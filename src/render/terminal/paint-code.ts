import { paintBeside, sameMargin } from "./margin.js";
import type { PaintOptions } from "./paint-options.js";
import { paintOutput, toTextLines } from "./paint-text.js";
import { breakSpans, type Ink, paintSpans, type SpanLine } from "./spans.js";
import type { Style } from "./style.js";

export interface Code {
  readonly text: string;
  readonly language: string | null;
  readonly firstLine?: number; // shows line numbers
}

/** Source code or output, behind a rule or behind line numbers. */
export function paintCode({ text, language, firstLine }: Code, options: PaintOptions): string[] {
  const { style } = options;
  const rule = sameMargin(style.dim("│ "), 2);
  if (language === null && firstLine === undefined) {
    return paintBeside(rule, options, (inner) => paintOutput(text, null, inner));
  }
  const lines = highlightLines(toTextLines(text, options), language, options);
  const broken = (line: SpanLine) => (inner: PaintOptions) => breakSpans(line, inner.columns).map(paintSpans);
  if (firstLine === undefined) {
    return paintBeside(rule, options, (inner) => lines.flatMap((line) => broken(line)(inner)));
  }
  const digits = String(firstLine + lines.length - 1).length;
  const others = style.dim(`${" ".repeat(digits)} │ `);
  return lines.flatMap((line, index) => {
    const first = style.dim(`${String(firstLine + index).padStart(digits)} │ `);
    return paintBeside({ first, others, columns: digits + 3 }, options, broken(line));
  });
}

function highlightLines(lines: readonly string[], language: string | null, options: PaintOptions): SpanLine[] {
  const { highlight, style } = options;
  const highlighted = highlight?.(lines.join("\n"), language);
  if (!highlighted) return lines.map((text) => [{ text, ink: null }]);
  const inks = new Map<string | null, Ink | null>();
  const inkOf = (scope: string | null) => {
    const known = inks.get(scope);
    if (known !== undefined) return known;
    const ink = inkOfScope(scope, style);
    inks.set(scope, ink);
    return ink;
  };
  return highlighted.map((line) => line.map(({ text, scope }) => ({ text, ink: inkOf(scope) })));
}

/** The style for a highlighter scope; null for the default colour. */
function inkOfScope(scope: string | null, style: Style): Ink | null {
  const [name = "", detail] = scope?.split(".") ?? [];
  switch (name) {
    case "comment":
    case "quote":
    case "meta":
      return style.dim;
    case "keyword":
    case "selector-tag":
    case "tag":
    case "name":
    case "section":
      return style.magenta;
    case "string":
    case "regexp":
    case "char":
    case "addition":
      return style.green;
    case "number":
    case "literal":
    case "symbol":
    case "bullet":
      return style.yellow;
    case "title":
      return detail === "function" ? style.blue : style.cyan;
    case "type":
    case "built_in":
    case "attr":
    case "attribute":
    case "link":
      return style.cyan;
    case "deletion":
      return style.red;
    case "strong":
      return style.bold;
    case "emphasis":
      return style.italic;
    default:
      return null;
  }
}
