import { isTrueAt, stringAt } from "../../format/json.js";
import { type InlineFile, toInlineFile } from "../../format/record/content-block.js";
import type { PatchHunk } from "../../format/record/file-changes.js";
import { textInTag } from "../../session/prompts/wrappers.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";

/** A tool call for any surface: terminal, Markdown and HTML paint the same parts. */
export interface ToolView {
  /** One line: a path, a command, a pattern. Empty if the tool's name is enough. */
  readonly title: string;
  readonly parts: readonly ViewPart[];
}

export type ViewTool = (call: ToolCall) => ToolView;

export type ViewPart =
  | CodePart
  | DiffPart
  | { readonly kind: "text"; readonly text: string; readonly label?: string; readonly isError?: true }
  | { readonly kind: "markdown"; readonly text: string; readonly label?: string }
  | { readonly kind: "table"; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "todos"; readonly items: readonly TodoItem[] }
  | { readonly kind: "image"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "json"; readonly value: unknown; readonly label?: string }
  | { readonly kind: "agent"; readonly agentId: string | null; readonly description: string };

/** Source code or program output. */
export interface CodePart {
  readonly kind: "code";
  readonly text: string;
  /** Language name for the highlighter, such as `typescript`; null for plain output. */
  readonly language: string | null;
  readonly firstLine?: number; // of an excerpt
  readonly label?: string;
  readonly isError?: true;
}

export interface DiffPart {
  readonly kind: "diff";
  readonly path: string | null;
  /** The title does not name the file. */
  readonly isNamed?: true;
  readonly language: string | null;
  readonly hunks: readonly PatchHunk[];
}

export interface TodoItem {
  readonly text: string;
  readonly state: "open" | "active" | "done";
}

/** It ran and failed: what was denied or interrupted is counted apart. */
export function hasFailed({ status }: Pick<ToolCall, "status">): boolean {
  return status === "error";
}

/** The part that holds the error message of a failed call. */
export function findError(parts: readonly ViewPart[]): ErrorPart | undefined {
  return parts.find(
    (part): part is ErrorPart => (part.kind === "text" || part.kind === "code") && part.isError === true,
  );
}

type ErrorPart = Extract<ViewPart, { kind: "text" | "code" }>;

/** The result as the model read it, for tools without anything better. */
export function resultParts(call: ToolCall, label?: string): ViewPart[] {
  const text = resultText(call);
  return text.trim() === "" ? [] : [{ kind: "text", text, ...(label === undefined ? {} : { label }) }];
}

/** Large output is wrapped by Claude Code in a frame with a preview and the path of the full output: only the preview. */
export function resultText({ result }: ToolCall): string {
  const frame = result?.startsWith("<persisted-output>") ? textInTag(result, "persisted-output") : undefined;
  if (frame === undefined) return result ?? "";
  const preview = frame.search(/^Preview \(.*\):$/m);
  return preview < 0 ? frame : frame.slice(frame.indexOf("\n", preview) + 1);
}

/** Program output. */
export function outputPart(text: string, label?: string): ViewPart {
  return { kind: "code", text, language: null, ...(label === undefined ? {} : { label }) };
}

/** No part for a missing or blank text. */
export function markdownPart(text: string | undefined | null, label: string): ViewPart[] {
  return text?.trim() ? [{ kind: "markdown", text, label }] : [];
}

export function notePart(text: string | undefined, label: string): ViewPart[] {
  return text?.trim() ? [{ kind: "text", text, label }] : [];
}

/** Every picture in a result: as the model saw it, else as Claude Code recorded it. */
export function imageParts({ resultBlocks, resultData }: Pick<ToolCall, "resultBlocks" | "resultData">): ViewPart[] {
  const seen = resultBlocks.filter(({ kind }) => kind === "image").map(({ raw }) => raw);
  if (seen.length > 0) return seen.map(blockImage);
  if (Array.isArray(resultData)) return resultData.filter((part) => stringAt(part, "type") === "image").map(blockImage);
  const noted = imageOfRead(resultData) ?? imageOfStdout(resultData);
  return noted ? [imagePart(noted)] : [];
}

function blockImage(raw: unknown): ViewPart {
  const file = toInlineFile(raw) ?? mcpImage(raw);
  if (file) return imagePart(file);
  return { kind: "text", text: stringAt(raw, "source", "url") ?? "data not recorded", label: "image" };
}

/** A file with another media type is named, not shown as a picture. */
function imagePart({ mediaType, base64 }: InlineFile): ViewPart {
  return /^image\/[\w.+-]+$/.test(mediaType)
    ? { kind: "image", mediaType, base64 }
    : { kind: "text", text: mediaType, label: "unknown image type" };
}

function mcpImage(raw: unknown): InlineFile | undefined {
  return inlineFile(stringAt(raw, "mimeType"), stringAt(raw, "data"));
}

function imageOfRead(data: unknown): InlineFile | undefined {
  return stringAt(data, "type") === "image"
    ? inlineFile(stringAt(data, "file", "type"), stringAt(data, "file", "base64"))
    : undefined;
}

/** A shell command prints a picture as a `data:` address. */
function imageOfStdout(data: unknown): InlineFile | undefined {
  if (!isTrueAt(data, "isImage")) return undefined;
  const printed = stringAt(data, "stdout")?.trim() ?? "";
  const head = /^data:([\w.+-]+\/[\w.+-]+);base64,/.exec(printed);
  return head ? inlineFile(head[1], printed.slice(head[0].length)) : undefined;
}

function inlineFile(mediaType: string | undefined, base64: string | undefined): InlineFile | undefined {
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 };
}

/** `mcp__server__tool` as `server: tool`; server names may contain single underscores. */
export function shownToolName(name: string): string {
  if (name === "") return "(unnamed)";
  const [server = "", ...tool] = name.startsWith("mcp__") ? name.slice("mcp__".length).split("__") : [];
  return server === "" || tool.length === 0 ? name : `${server}: ${tool.join("__")}`;
}
