import type { Call } from "../../agent/conversation/loop.js";
import { INTERRUPTED_TOOL } from "../../agent/conversation/session-log/lines.js";
import type { ApprovalRequest } from "../../agent/permissions/permission-desk.js";
import type { ToolOutcome } from "../../agent/tools/tool.js";
import { isObject, stringAt } from "../../format/json.js";
import { paintBeside, sameMargin } from "../../render/terminal/margin.js";
import { briefFailure, paintCallLine, toCallLine } from "../../render/terminal/paint-call.js";
import type { PaintOptions } from "../../render/terminal/paint-options.js";
import { paintPart } from "../../render/terminal/paint-part.js";
import { paintMore, paintWords } from "../../render/terminal/paint-text.js";
import { toSpan } from "../../render/terminal/spans.js";
import { shownToolName, type ViewPart } from "../../render/tools/view-parts.js";
import { viewTool } from "../../render/tools/view-tool.js";
import { toResultStatus } from "../../session/messages/tool-status.js";
import { summarizeCall, type ToolCall } from "../../session/turns/tool-calls.js";

const REJECTED = "User rejected tool use";
const INSET = sameMargin("  ");
const MAX_OUTPUT_LINES = 4;
const MAX_CHANGE_LINES = 20;

/** A finished call: one line, and below it the most useful part of its result. */
export function paintChatCall(
  call: ToolCall,
  options: PaintOptions,
  { agentType, isBrief }: { readonly agentType: string | undefined; readonly isBrief: boolean },
): string[] {
  const view = viewTool(call);
  const before = agentType === undefined ? [] : [toSpan(`[${agentType}] `, options.style.cyan)];
  const head = paintCallLine({ ...toCallLine(call, view, options), before }, options);
  if ((isBrief && call.status === "ok") || hasSaidNo(call)) return [head];
  const body = paintBeside(INSET, options, (inner) =>
    call.status === "ok" ? paintGist(call, view.parts, inner) : briefFailure(view.parts, inner),
  );
  return [head, ...body];
}

/** A call that needs approval: a command as a whole, a change line by line. */
export function paintRequest({ tool, input, reason, preview, parts }: ApprovalRequest, screen: PaintOptions): string[] {
  const options = { ...screen, isUncut: true };
  const { style } = options;
  const call = toAskedCall(tool, showControlsIn(input), showControlsIn(preview?.data ?? null));
  const title = tool === "Bash" ? stringAt(call.input, "description") : titleOf(call, options);
  const head = [toSpan("? ", style.yellow), toSpan(shownToolName(tool), style.bold), toSpan(title ? ` ${title}` : "")];
  const body = (inner: PaintOptions) => [
    ...paintParts(viewTool(call).parts.slice(0, 1), inner),
    ...(preview?.detail === undefined ? [] : paintWords([toSpan(preview.detail, style.yellow)], inner)),
    ...reasonsOf(reason, parts).flatMap((text) => paintWords([toSpan(showControls(text), style.dim)], inner)),
  ];
  return [...paintWords(head, options), ...paintBeside(INSET, options, body)];
}

/** Of a line with several parts that no rule allows, each of them. */
function reasonsOf(reason: string, parts: ApprovalRequest["parts"] = []): readonly string[] {
  const open = parts.filter(({ decision }) => decision !== "allow");
  return open.length > 1 ? open.map(({ text, reason: why }) => `${text}: ${why}`) : [reason];
}

/**
 * Makes visible what is dropped or looks like nothing elsewhere: here it is part of what runs. A no-break space separates no
 * words and starts no comment; a joiner after a letter makes another name.
 */
export function showControls(text: string): string {
  return text
    .replace(/[\r\u001b]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)))
    .replace(/(?! )\p{Zs}/gu, "\u2423")
    .replace(/(?<=\p{ASCII})\p{Default_Ignorable_Code_Point}/gu, "\ufffd");
}

function showControlsIn(value: unknown): unknown {
  if (typeof value === "string") return showControls(value);
  if (Array.isArray(value)) return value.map(showControlsIn);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, showControlsIn(inner)]));
}

/** The user's own refusal is not repeated. */
function hasSaidNo({ status, result, resultData }: ToolCall): boolean {
  if (status === "interrupted") return result === INTERRUPTED_TOOL;
  return status === "denied" && resultData === REJECTED;
}

/** Never shortened. */
function titleOf({ input, summary }: ToolCall, { folder }: PaintOptions): string {
  const path = stringAt(input, "file_path");
  const near = path?.startsWith(`${folder}/`) ? path.slice(`${folder}/`.length) : path;
  return near ?? stringAt(input, "url") ?? stringAt(input, "query") ?? summary;
}

/** Most calls need only their line. */
function paintGist({ name, resultData }: ToolCall, parts: readonly ViewPart[], options: PaintOptions): string[] {
  const background = stringAt(resultData, "backgroundTaskId") ?? launchedAgent(resultData);
  if (background !== undefined)
    return paintWords([toSpan(`running in the background as ${background}`, options.style.dim)], options);
  switch (name) {
    case "Bash":
      if (stringAt(resultData, "stdout") === "" && stringAt(resultData, "stderr") === "") return [];
      return cut(paintParts(parts.filter(isPrinted), options), MAX_OUTPUT_LINES, options);
    case "BashOutput":
      return cut(paintParts(parts.filter(isPrinted), options), MAX_OUTPUT_LINES, options);
    case "Task":
      return cut(paintParts(parts.filter(isAnswer), options), MAX_OUTPUT_LINES, options);
    case "Edit":
    case "MultiEdit":
    case "Write":
      return cut(paintParts(parts.slice(0, 1), options), MAX_CHANGE_LINES, options);
    case "TodoWrite":
      return paintParts(parts, options);
    default:
      return [];
  }
}

function launchedAgent(data: unknown): string | undefined {
  return stringAt(data, "status") === "async_launched" ? stringAt(data, "agentId") : undefined;
}

function isPrinted(part: ViewPart): boolean {
  return part.kind === "code" && part.language === null;
}

function isAnswer(part: ViewPart): boolean {
  return part.kind === "markdown" && part.label === "answer";
}

/** Without labels. */
function paintParts(parts: readonly ViewPart[], options: PaintOptions): string[] {
  return parts.flatMap((part) => {
    if (!("label" in part) || part.label === undefined) return paintPart(part, options);
    const { label: _label, ...rest } = part;
    return paintPart(rest, options);
  });
}

function cut(lines: readonly string[], most: number, options: PaintOptions): string[] {
  if (lines.length <= most + 1) return [...lines];
  return [...lines.slice(0, most), ...paintMore(lines.length - most, "", options)];
}

const UNRECORDED = {
  callUuid: null,
  resultUuids: [],
  startedAt: null,
  endedAt: null,
  agentId: null,
  images: 0,
  resultBlocks: [],
  personsWords: [],
  denial: null,
  persistedOutput: null,
  notification: null,
};

/** A finished call in the form of recorded calls. */
export function toEndedCall(
  { id, name, input }: Call,
  { content, data, isError = false }: ToolOutcome,
  durationMs: number | null,
): ToolCall {
  const result = typeof content === "string" ? content : content.flatMap(({ text }) => text ?? []).join("\n");
  const status = toResultStatus({ text: result, isError }, { toolUseResult: data, toolDenialKind: undefined });
  return {
    ...UNRECORDED,
    id,
    name,
    input,
    summary: summarizeCall(name, input),
    result,
    resultData: data,
    status,
    durationMs,
  };
}

/** A call that needs approval. */
function toAskedCall(name: string, input: unknown, resultData: unknown): ToolCall {
  const summary = summarizeCall(name, input);
  return {
    ...UNRECORDED,
    id: "",
    name,
    input,
    summary,
    result: null,
    resultData,
    status: "ok",
    durationMs: null,
  };
}
