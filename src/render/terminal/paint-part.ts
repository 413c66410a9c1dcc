import { toJsonText } from "../../format/json.js";
import { formatBase64Size } from "../labels.js";
import type { TodoItem, ViewPart } from "../tools/view-parts.js";
import { hangingMargin, paintBeside, sameMargin } from "./margin.js";
import { paintCode } from "./paint-code.js";
import { paintHunks } from "./paint-diff.js";
import { paintMarkdown } from "./paint-markdown.js";
import type { PaintOptions } from "./paint-options.js";
import { paintTable } from "./paint-table.js";
import { paintOutput, paintText, paintWords } from "./paint-text.js";
import { toSpan } from "./spans.js";

/** One part of a tool's view: its label, then its content. */
export function paintPart(part: ViewPart, options: PaintOptions): string[] {
  switch (part.kind) {
    case "code":
      if (part.isError) return paintFailure(part, options);
      return [...paintLabel(part.label, options), ...paintCode(part, options)];
    case "diff":
      if (part.hunks.length === 0) return [];
      return [
        ...paintLabel(part.isNamed ? nearPath(part.path, options) : undefined, options),
        ...paintHunks(part.hunks, options),
      ];
    case "text":
      return part.isError ? paintFailure(part, options) : paintNote(part.text, part.label, options);
    case "markdown":
      return [
        ...paintLabel(part.label, options),
        ...paintBeside(ruleOf(options), options, (inner) => paintMarkdown(part.text, inner)),
      ];
    case "table":
      return paintTable(toCells(part.head, part.rows), options);
    case "todos":
      return part.items.flatMap((item) => paintTodo(item, options));
    case "image":
      return paintLabel(describeFile("image", part), options);
    case "json": {
      const text = toJsonText(part.value, 2) ?? "null";
      return [...paintLabel(part.label, options), ...paintCode({ text, language: "json" }, options)];
    }
    case "agent":
      return paintLabel(["sub-agent", part.agentId, part.description].filter((word) => word).join(" "), options);
  }
}

function nearPath(path: string | null, { folder, isPlain }: PaintOptions): string | undefined {
  const isNear = folder !== null && !isPlain;
  return (isNear ? path?.replace(`${folder}/`, "") : path) ?? undefined;
}

export type Failure = Pick<Extract<ViewPart, { kind: "text" | "code" }>, "kind" | "text" | "label">;

/** Only the rule and the first line of a failure are red. */
export function paintFailure({ kind, text, label }: Failure, options: PaintOptions): string[] {
  const { style } = options;
  const head = label === undefined ? [] : paintWords([toSpan(label, style.red)], options);
  if (text.trim() === "") return head;
  const paint = kind === "code" ? paintOutput : paintText;
  const rule = sameMargin(style.red("│ "), 2);
  return [
    ...head,
    ...paintBeside(rule, options, (inner) => {
      const [first = "", ...others] = paint(text, null, inner);
      return [label === undefined ? style.red(first) : first, ...others];
    }),
  ];
}

/** `image: image/png, 12 KB`. */
export function describeFile(
  type: string,
  file: { readonly mediaType: string; readonly base64: string } | null,
): string {
  if (!file) return type;
  return `${type}: ${file.mediaType}, ${formatBase64Size(file.base64)}`;
}

function paintNote(text: string, label: string | undefined, options: PaintOptions): string[] {
  const { style } = options;
  const words = text.trim();
  if (label === undefined) return paintBeside(ruleOf(options), options, (inner) => paintText(text, null, inner));
  const isShort = !words.includes("\n") && label.length + words.length + 2 <= options.columns;
  if (isShort) return paintWords([toSpan(`${label}: `, style.dim), toSpan(words)], options);
  return [
    ...paintLabel(label, options),
    ...paintBeside(ruleOf(options), options, (inner) => paintText(text, null, inner)),
  ];
}

function paintLabel(label: string | undefined, options: PaintOptions): string[] {
  return label === undefined ? [] : paintWords([toSpan(label, options.style.dim)], options);
}

function ruleOf({ style }: PaintOptions) {
  return sameMargin(style.dim("│ "), 2);
}

function toCells(head: readonly string[], rows: readonly (readonly string[])[]) {
  const cells = (row: readonly string[]) => row.map((cell) => [toSpan(cell)]);
  return { head: cells(head), rows: rows.map(cells) };
}

const BOXES = { open: "☐", active: "◐", done: "☑" } as const;

function paintTodo({ text, state }: TodoItem, options: PaintOptions): string[] {
  const { style } = options;
  const ink = state === "done" ? style.dim : state === "active" ? style.bold : null;
  const box = state === "open" ? BOXES.open : (state === "done" ? style.green : style.yellow)(BOXES[state]);
  return paintBeside(hangingMargin(`${box} `, 2), options, (inner) => paintText(text, ink, inner));
}
