import { type InlineFile, toInlineFile } from "../../format/content-block.js";
import { isTrueAt, stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import type { ViewPart } from "./tool-view.js";

/** Every picture that came back: as the model saw it, else as the client noted it. */
export function imageParts({ resultBlocks, resultData }: Pick<ToolCall, "resultBlocks" | "resultData">): ViewPart[] {
  const seen = resultBlocks.filter(({ kind }) => kind === "image").map(({ raw }) => raw);
  if (seen.length > 0) return seen.map(blockImage);
  if (Array.isArray(resultData)) return resultData.filter((part) => stringAt(part, "type") === "image").map(blockImage);
  const noted = readImage(resultData) ?? printedImage(resultData);
  return noted ? [imagePart(noted)] : [];
}

function blockImage(raw: unknown): ViewPart {
  const file = toInlineFile(raw) ?? mcpImage(raw);
  if (file) return imagePart(file);
  return { kind: "text", text: stringAt(raw, "source", "url") ?? "without its bytes", label: "image" };
}

/** What calls itself something else than an image is named, never shown as one. */
function imagePart({ mediaType, base64 }: InlineFile): ViewPart {
  return /^image\/[\w.+-]+$/.test(mediaType)
    ? { kind: "image", mediaType, base64 }
    : { kind: "text", text: mediaType, label: "image of an unknown type" };
}

function mcpImage(raw: unknown): InlineFile | undefined {
  return inlineFile(stringAt(raw, "mimeType"), stringAt(raw, "data"));
}

function readImage(data: unknown): InlineFile | undefined {
  return stringAt(data, "type") === "image"
    ? inlineFile(stringAt(data, "file", "type"), stringAt(data, "file", "base64"))
    : undefined;
}

/** A shell command that prints a picture prints it as a `data:` address. */
function printedImage(data: unknown): InlineFile | undefined {
  if (!isTrueAt(data, "isImage")) return undefined;
  const printed = stringAt(data, "stdout")?.trim() ?? "";
  const head = /^data:([\w.+-]+\/[\w.+-]+);base64,/.exec(printed);
  return head ? inlineFile(head[1], printed.slice(head[0].length)) : undefined;
}

function inlineFile(mediaType: string | undefined, base64: string | undefined): InlineFile | undefined {
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 };
}
