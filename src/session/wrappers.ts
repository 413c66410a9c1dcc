/** The tags with which the client wraps what is not a person's own words. One place knows them. */

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

/** What a local command or shell command printed, with the tags taken off. */
export function parseLocalOutput(text: string): string {
  const tags = ["local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr"];
  return tags
    .map((tag) => textInTag(text, tag) ?? "")
    .filter((part) => part !== "")
    .join("\n");
}

/** What went wrong, without the tag in which clients hand some errors to the model. */
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

/** A text without the context that stands around it; a tag in the middle of a sentence is the person's own. */
export function stripContext(text: string): { readonly text: string; readonly context: readonly string[] } {
  const context: string[] = [];
  let rest = text;
  for (let span = contextSpan(rest); span; span = contextSpan(rest)) {
    context.push(rest.slice(span.start, span.end));
    rest = span.start === 0 ? rest.slice(span.end).trimStart() : rest.slice(0, span.start).trimEnd();
  }
  return { text: rest, context };
}

function contextSpan(text: string): { start: number; end: number } | undefined {
  for (const tag of CONTEXT_TAGS) {
    const close = `</${tag}>`;
    const body = text.trimStart();
    if (body.startsWith(`<${tag}>`)) {
      const end = text.indexOf(close);
      if (end >= 0) return { start: 0, end: end + close.length };
    }
    if (text.trimEnd().endsWith(close)) {
      const start = text.lastIndexOf(`<${tag}>`);
      if (start >= 0) return { start, end: text.length };
    }
  }
  return undefined;
}
