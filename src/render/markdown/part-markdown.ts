import { toJsonText } from "../../format/json.js";
import type { InlineFile } from "../../format/record/content-block.js";
import type { PatchHunk } from "../../format/record/file-changes.js";
import { formatBase64Size } from "../labels.js";
import { isPicture } from "../picture-types.js";
import type { TodoItem, ViewPart } from "../tools/view-parts.js";
import { containMarkdown, fenced, plainWords } from "./contain-text.js";

/** What becomes of pictures: their type and size, their bytes, or nothing. */
export type Pictures = "named" | "embedded" | "none";

/** One part of a tool's view; an empty string for an empty part. */
export function partMarkdown(part: ViewPart, pictures: Pictures = "named"): string {
  switch (part.kind) {
    case "code": {
      const from = part.firstLine === undefined || part.firstLine === 1 ? "" : `from line ${part.firstLine}`;
      const label = [part.label ?? "", from].filter((words) => words !== "").join(", ");
      return part.text.trim() === "" ? emptyPart(label) : labelled(label, fenced(part.text, part.language));
    }
    case "diff":
      return labelled(part.path === null ? "" : `changes to ${part.path}`, fenced(diffText(part.hunks), "diff"));
    case "text":
      return part.text.includes("\n") ? labelled(part.label, fenced(part.text)) : noteLine(part.label, part.text);
    case "markdown":
      return labelled(part.label ?? "text", containMarkdown(part.text));
    case "table":
      return `\n${tableRow(part.head)}|${" --- |".repeat(part.head.length)}\n${part.rows.map(tableRow).join("")}`;
    case "todos":
      return `\n${part.items.map(todoLine).join("")}`;
    case "image":
      return pictureMarkdown(part, pictures);
    case "json":
      return labelled(part.label, fenced(toJsonText(part.value, 2) ?? "undefined", "json"));
    case "agent":
      return noteLine("sub-agent", [part.description, part.agentId ?? ""].filter((words) => words !== "").join(", "));
  }
}

/** Bytes in the document: nothing is fetched to show them. What is no picture of a known type is named. */
export function pictureMarkdown({ mediaType, base64 }: InlineFile, pictures: Pictures): string {
  if (pictures === "none") return "";
  const name = `${plainWords(mediaType)}, ${formatBase64Size(base64)}`;
  if (pictures === "embedded" && isPicture(mediaType, base64))
    return `\n![${name}](data:${mediaType};base64,${base64})\n`;
  return `\n*${name}: not in this export*\n`;
}

function labelled(label: string | undefined, block: string): string {
  return label === undefined || label === "" ? `\n${block}` : `\n*${plainWords(label)}*\n\n${block}`;
}

function emptyPart(label: string): string {
  return `\n*${plainWords(label || "output")}: nothing*\n`;
}

function noteLine(label: string | undefined, text: string): string {
  if (text.trim() === "") return "";
  return `\n${label === undefined ? "" : `*${plainWords(label)}* `}${plainWords(text)}\n`;
}

/** A unified diff; without line counts if the place in the file is unknown. */
function diffText(hunks: readonly PatchHunk[]): string {
  return hunks.map((hunk) => `${hunkHead(hunk)}\n${hunk.lines.join("\n")}\n`).join("");
}

function hunkHead({ oldStart, newStart, lines }: PatchHunk): string {
  if (oldStart === 0 && newStart === 0) return "@@ @@";
  const count = (signs: string) => lines.filter((line) => signs.includes(line.charAt(0))).length;
  return `@@ -${oldStart},${count(" -")} +${newStart},${count(" +")} @@`;
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => plainWords(cell)).join(" | ")} |\n`;
}

function todoLine({ text, state }: TodoItem): string {
  const words = plainWords(text);
  if (state === "active") return `- [ ] **${words}** (in progress)\n`;
  return `- [${state === "done" ? "x" : " "}] ${words}\n`;
}
