import { statSync } from "node:fs";
import { numberAt, objectAt, stringAt, tryParseJson } from "../../format/json.js";
import { attempt } from "../../format/layout/folder-listing.js";
import { isSessionId } from "../../format/layout/session-paths.js";
import { readSmallFile } from "../../format/layout/small-file.js";
import type { Line } from "../../format/reader/parse-line.js";
import { LineSplitter, readChunks } from "../../format/reader/record-reader.js";
import { historyPath, pastePath } from "./prompt-history.js";

/** What `history.jsonl` tells of a session: what a person typed in a terminal, and not what followed. */
export interface TypedSession {
  readonly id: string;
  readonly project: string | null;
  readonly firstPromptAt: string | null;
  readonly lastPromptAt: string | null;
  readonly prompts: number;
  /** Its beginning. */
  readonly firstPrompt: string;
}

export interface TypedPrompt {
  readonly at: string | null;
  readonly project: string | null;
  readonly text: string;
  readonly pastes: readonly TypedPaste[];
}

/** Stands in the text as a mark such as `[Pasted text #1]`. */
interface TypedPaste {
  readonly id: number | null;
  /** `text` or `image`. */
  readonly kind: string;
  /** Where it is not in the line itself, the name of a file. */
  readonly contentHash: string | null;
  readonly content: string | null;
}

/** The file is never swept and never held as a whole: what is kept of it is bounded, whatever it holds. */
const MAX_SESSIONS = 100_000;
const MAX_FIRST_PROMPT = 500;
const MAX_PROJECT = 4096;
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const MAX_PROMPTS_BYTES = 64 * 1024 * 1024;
const MAX_PASTE_BYTES = 16 * 1024 * 1024;

/** The sessions that typed prompts name, those left out that are known otherwise. */
export function listTypedSessions(configRoot: string, isKnown: (id: string) => boolean): TypedSession[] {
  const sessions = new Map<string, TypedSession>();
  for (const json of readLines(configRoot)) {
    const id = stringAt(json, "sessionId");
    if (id === undefined || !isSessionId(id) || isKnown(id)) continue;
    const before = sessions.get(id);
    if (!before && sessions.size >= MAX_SESSIONS) continue;
    const line = toPrompt(json);
    sessions.set(id, before ? withPrompt(before, line) : firstOf(id, line));
  }
  return [...sessions.values()];
}

function firstOf(id: string, { at, project, text }: TypedPrompt): TypedSession {
  const own = { project: project && shortCopy(project, MAX_PROJECT), firstPrompt: shortCopy(text, MAX_FIRST_PROMPT) };
  return { id: shortCopy(id, MAX_PROJECT), ...own, firstPromptAt: at, lastPromptAt: at, prompts: 1 };
}

function withPrompt(session: TypedSession, { at, project }: TypedPrompt): TypedSession {
  const { firstPromptAt, lastPromptAt } = session;
  return {
    ...session,
    project: session.project ?? (project && shortCopy(project, MAX_PROJECT)),
    prompts: session.prompts + 1,
    firstPromptAt: at !== null && (firstPromptAt === null || at < firstPromptAt) ? at : firstPromptAt,
    lastPromptAt: at !== null && (lastPromptAt === null || at > lastPromptAt) ? at : lastPromptAt,
  };
}

/** A part of a string keeps all of it in memory. */
function shortCopy(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString();
}

export interface TypedPrompts {
  readonly prompts: readonly TypedPrompt[];
  /** There are more than are kept. */
  readonly isCut: boolean;
}

/** The prompts of one session, in their order. */
export function readTypedPrompts(configRoot: string, sessionId: string): TypedPrompts {
  const prompts: TypedPrompt[] = [];
  let bytes = 0;
  for (const json of readLines(configRoot, sessionId)) {
    if (stringAt(json, "sessionId") !== sessionId) continue;
    const prompt = toPrompt(json);
    bytes += prompt.text.length + prompt.pastes.reduce((sum, { content }) => sum + (content?.length ?? 0), 1000);
    if (bytes > MAX_PROMPTS_BYTES) return { prompts, isCut: true };
    prompts.push(prompt);
  }
  return { prompts, isCut: false };
}

/** The text of a paste; null where it is no text, or Claude Code's clean-up has taken it. */
export function readPaste(configRoot: string, { kind, content, contentHash }: TypedPaste): string | null {
  if (kind !== "text") return null;
  if (content !== null || contentHash === null) return content;
  return readSmallFile(pastePath(configRoot, contentHash), { maxBytes: MAX_PASTE_BYTES })?.toString("utf8") ?? null;
}

function toPrompt(json: unknown): TypedPrompt {
  const time = numberAt(json, "timestamp");
  return {
    at: time === undefined || Math.abs(time) > 8.64e15 ? null : new Date(time).toISOString(),
    project: stringAt(json, "project") ?? null,
    text: stringAt(json, "display") ?? "",
    pastes: Object.values(objectAt(json, "pastedContents") ?? {}).map((paste) => {
      const hash = stringAt(paste, "contentHash") ?? "";
      return {
        id: numberAt(paste, "id") ?? null,
        kind: stringAt(paste, "type") ?? "text",
        contentHash: /^[0-9a-f]{8,64}$/.test(hash) ? hash : null, // any other name leads elsewhere
        content: stringAt(paste, "content") ?? null,
      };
    }),
  };
}

/** Lines that hold the text, parsed; broken ones are skipped. */
function* readLines(configRoot: string, text = '"sessionId"'): Generator<unknown> {
  const path = historyPath(configRoot);
  const isFile = attempt(path, [], () => statSync(path).isFile()) ?? false;
  if (!isFile) return;
  let lines: unknown[] = [];
  const take = ({ bytes, start, end }: Line) => {
    const line = bytes.subarray(start, end);
    if (line.length > MAX_LINE_BYTES || !line.includes(text)) return;
    const json = tryParseJson(line.toString("utf8"));
    if (json !== undefined) lines.push(json);
  };
  const splitter = new LineSplitter(take, { maxLineBytes: MAX_LINE_BYTES });
  for (const chunk of readChunks(path)) {
    splitter.push(chunk);
    yield* lines;
    lines = [];
  }
  splitter.end();
  yield* lines;
}
