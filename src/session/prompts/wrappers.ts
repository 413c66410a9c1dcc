/** The tags in which Claude Code wraps text that a person did not write. */

export interface CommandCall {
  readonly name: string; // with its slash
  readonly args: string;
}

export interface TaskNotification {
  readonly taskId: string | undefined;
  readonly toolUseId: string | undefined;
  readonly status: string | undefined;
  readonly summary: string | undefined;
  readonly result: string | undefined;
  readonly durationMs: number | undefined;
}

/** The tag that a text starts with, e.g. `command-name`. */
export function leadingTag(text: string): string | undefined {
  return /^\s*<([a-z][a-z0-9_-]*)[\s>]/i.exec(text)?.[1];
}

/** The text inside the first `<tag>…</tag>`; a tag that is never closed runs to the end. */
export function textInTag(text: string, tag: string): string | undefined {
  const open = `<${tag}>`;
  const start = text.indexOf(open);
  if (start < 0) return undefined;
  const end = text.indexOf(`</${tag}>`, start + open.length);
  return text.slice(start + open.length, end < 0 ? undefined : end);
}

export function parseCommand(text: string): CommandCall | undefined {
  const name = textInTag(text, "command-name")?.trim() || textInTag(text, "command-message")?.trim();
  if (!name) return undefined;
  return { name: name.startsWith("/") ? name : `/${name}`, args: textInTag(text, "command-args")?.trim() ?? "" };
}

/** What was written in a channel; Claude Code names the channel in a tag around it. */
export function channelWords(text: string): string {
  return /^\s*<channel\b[^>]*>\n?([\s\S]*?)\n?<\/channel>\s*$/.exec(text)?.[1] ?? text;
}

export function isTaskNotification(text: string): boolean {
  return text.trimStart().startsWith("<task-notification>");
}

export function parseTaskNotification(text: string): TaskNotification {
  const duration = Number(textInTag(text, "duration_ms") ?? Number.NaN);
  return {
    taskId: textInTag(text, "task-id")?.trim(),
    toolUseId: textInTag(text, "tool-use-id")?.trim(),
    status: textInTag(text, "status")?.trim(),
    summary: textInTag(text, "summary")?.trim(),
    result: textInTag(text, "result")?.trim(),
    durationMs: Number.isFinite(duration) ? duration : undefined,
  };
}

/** What a local command or shell command printed, without the tags. */
export function parseLocalOutput(text: string): string {
  const tags = ["local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr"];
  return tags
    .map((tag) => textInTag(text, tag) ?? "")
    .filter((part) => part !== "")
    .join("\n");
}

/** An error message without the tag in which Claude Code passes some errors to the model. */
export function errorText(text: string): string {
  return (textInTag(text, "tool_use_error") ?? text).trim();
}

const INTERRUPT_MARKERS: ReadonlySet<string> = new Set([
  "[Request interrupted by user]",
  "[Request interrupted by user for tool use]",
]);

export function isInterruptMarker(text: string): boolean {
  return INTERRUPT_MARKERS.has(text.trim());
}

const CONTEXT_TAGS = ["system-reminder", "ide_selection", "ide_opened_file"];

/** Separates a text from the context before and after it. A tag in the middle of a sentence is part of the text. */
export function stripContext(text: string): { readonly text: string; readonly context: readonly string[] } {
  const context: string[] = [];
  let start = 0;
  let end = text.length;
  for (let next = leadingContextEnd(text, start); next !== undefined; next = leadingContextEnd(text, start)) {
    context.push(text.slice(start, next));
    start = skipSpace(text, next);
  }
  for (let next = trailingContextStart(text, start, end); next !== undefined; ) {
    context.push(text.slice(next, end));
    end = Math.max(start, skipSpaceBack(text, next));
    next = trailingContextStart(text, start, end);
  }
  return { text: text.slice(start, end), context };
}

function leadingContextEnd(text: string, start: number): number | undefined {
  const first = skipSpace(text, start);
  const tag = CONTEXT_TAGS.find((name) => text.startsWith(`<${name}>`, first));
  if (tag === undefined) return undefined;
  const close = `</${tag}>`;
  const end = text.indexOf(close, first);
  return end < 0 ? undefined : end + close.length;
}

function trailingContextStart(text: string, start: number, end: number): number | undefined {
  const last = skipSpaceBack(text, end);
  const tag = CONTEXT_TAGS.find((name) => text.endsWith(`</${name}>`, last));
  if (tag === undefined) return undefined;
  const open = text.lastIndexOf(`<${tag}>`, last - 1);
  return open < start ? undefined : open;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text, at)) at += 1;
  return at;
}

function skipSpaceBack(text: string, from: number): number {
  let at = from;
  while (at > 0 && isSpace(text, at - 1)) at -= 1;
  return at;
}

/** White space as `trim` defines it. */
function isSpace(text: string, at: number): boolean {
  return text.charAt(at).trim() === "";
}
