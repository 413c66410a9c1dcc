import { arrayAt, asString, isObject, isTrueAt, numberAt, objectAt, stringAt, valueAt } from "../json.js";
import type { LogRecord } from "./record.js";

/** What a tool call did to one file, as far as its records show. `before` and `after`: see FileContent. */
export interface FileCall {
  readonly kind: "read" | "write" | "edit";
  readonly path: string;
  readonly before: FileContent;
  readonly after: FileContent;
  readonly replacements: readonly Replacement[];
  readonly hunks: readonly Hunk[];
}

/** A text; null: there is no file; undefined: not recorded. */
export type FileContent = string | null | undefined;

export interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly isEverywhere: boolean;
}

/** A piece of a unified diff; each line begins with its sign. */
export interface Hunk {
  readonly oldStart: number; // 1-based
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

export interface AnsweredCall {
  readonly name: string;
  readonly input: unknown;
  readonly result: string | null;
  readonly resultData: unknown;
}

type ReadCall = (call: AnsweredCall) => FileCall | undefined;

const FILE_TOOLS: Readonly<Record<string, ReadCall>> = {
  Read: (call) => toCall("read", call, { after: wholeContent(call.resultData) }),
  NotebookRead: (call) => toCall("read", call, {}),
  Write: (call) =>
    toCall("write", call, {
      before: contentBefore(call),
      after: stringAt(call.resultData, "content") ?? stringAt(call.input, "content"),
      hunks: toHunks(call.resultData),
    }),
  Edit: toEdit,
  MultiEdit: toEdit,
  NotebookEdit: (call) =>
    toCall("edit", call, {
      before: stringAt(call.resultData, "original_file"),
      after: stringAt(call.resultData, "updated_file"),
    }),
};

export function isFileTool(name: string): boolean {
  return Object.hasOwn(FILE_TOOLS, name);
}

/** Undefined for tools that are about no file, and where the path is missing. */
export function toFileCall(call: AnsweredCall): FileCall | undefined {
  return isFileTool(call.name) ? FILE_TOOLS[call.name]?.(call) : undefined;
}

function toEdit(call: AnsweredCall): FileCall | undefined {
  return toCall("edit", call, {
    before: contentBefore(call),
    replacements: toReplacements(call),
    hunks: toHunks(call.resultData),
  });
}

function toCall(
  kind: FileCall["kind"],
  { input, resultData }: AnsweredCall,
  recorded: Partial<FileCall>,
): FileCall | undefined {
  const path =
    stringAt(resultData, "filePath") ??
    stringAt(resultData, "file", "filePath") ??
    stringAt(input, "file_path") ??
    stringAt(input, "notebook_path");
  if (!path || path.includes("\0")) return undefined;
  return { kind, path, before: undefined, after: undefined, replacements: [], hunks: [], ...recorded };
}

/** Only a Read from the first line to the last shows all of a file. */
function wholeContent(resultData: unknown): string | undefined {
  if (stringAt(resultData, "type") !== "text" || numberAt(resultData, "file", "startLine") !== 1) return undefined;
  const [shown, total] = [numberAt(resultData, "file", "numLines"), numberAt(resultData, "file", "totalLines")];
  return shown === total ? stringAt(resultData, "file", "content") : undefined;
}

const CREATED = /^File created successfully/;

function contentBefore({ resultData, result }: AnsweredCall): FileContent {
  if (stringAt(resultData, "type") === "create" || CREATED.test(result ?? "")) return null;
  return stringAt(resultData, "originalFile") ?? stringAt(resultData, "originalFileContents");
}

/** What Claude Code recorded comes first: it also matches quotes that the model wrote in another form. */
function toReplacements({ input, resultData }: AnsweredCall): Replacement[] {
  const noted = stringAt(resultData, "oldString");
  if (noted !== undefined) {
    const isEverywhere = isTrueAt(resultData, "replaceAll");
    return [{ from: noted, to: stringAt(resultData, "newString") ?? "", isEverywhere }];
  }
  const edits = arrayAt(resultData, "edits").length > 0 ? arrayAt(resultData, "edits") : arrayAt(input, "edits");
  return (edits.length > 0 ? edits : [input]).flatMap((edit) => {
    const [from, to] = [stringAt(edit, "old_string"), stringAt(edit, "new_string")];
    return from === undefined || to === undefined ? [] : [{ from, to, isEverywhere: isTrueAt(edit, "replace_all") }];
  });
}

/** All or none: some of them alone would be another change. */
function toHunks(resultData: unknown): Hunk[] {
  const noted = arrayAt(resultData, "structuredPatch");
  const hunks = noted.flatMap((hunk) => toHunk(hunk) ?? []);
  return hunks.length === noted.length ? hunks : [];
}

/** Only what a diff may hold: a line with a line feed in it would be more than one. */
function toHunk(hunk: unknown): Hunk | undefined {
  const [oldStart, oldLines] = [countAt(hunk, "oldStart"), countAt(hunk, "oldLines")];
  const [newStart, newLines] = [countAt(hunk, "newStart"), countAt(hunk, "newLines")];
  const lines = arrayAt(hunk, "lines").filter(
    (line): line is string => typeof line === "string" && /^[-+ \\]/.test(line) && !line.includes("\n"),
  );
  if (oldStart === undefined || oldLines === undefined || newStart === undefined || newLines === undefined) {
    return undefined;
  }
  const isWhole = lines.length > 0 && lines.length === arrayAt(hunk, "lines").length;
  return isWhole ? { oldStart, oldLines, newStart, newLines, lines } : undefined;
}

function countAt(value: unknown, key: string): number | undefined {
  const count = numberAt(value, key);
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

export interface PatchHunk {
  readonly oldStart: number; // 1-based; 0 where the place in the file is not known
  readonly newStart: number;
  /** As in a unified diff, each with its sign. */
  readonly lines: readonly string[];
}

/** The changes to a file that a tool recorded; empty where it recorded none. */
export function toPatchHunks(toolUseResult: unknown): PatchHunk[] {
  return arrayAt(toolUseResult, "structuredPatch").flatMap((hunk) => {
    const lines = arrayAt(hunk, "lines").filter((line) => typeof line === "string");
    if (lines.length === 0) return [];
    return [{ oldStart: numberAt(hunk, "oldStart") ?? 0, newStart: numberAt(hunk, "newStart") ?? 0, lines }];
  });
}

/** A copy of a file that Claude Code keeps for rewinding. */
export interface FileBackup {
  readonly path: string; // relative to the session's folder, or absolute
  /** The name of the copy; null: there was no file. */
  readonly copy: string | null;
  readonly time: string | null;
  /** The message before whose work it was taken. */
  readonly messageId: string | null;
  /** Taken when a prompt was sent, not before an edit. */
  readonly isAtPrompt: boolean;
}

/** The backups that a snapshot or delta record names; the record must not be abridged. */
export function toFileBackups(record: LogRecord): FileBackup[] {
  if (!isFileHistory(record)) return [];
  const { raw } = record;
  const messageId = stringAt(raw, "messageId") ?? null;
  if (record.type === "file-history-delta") {
    const path = stringAt(raw, "trackingPath");
    return path === undefined ? [] : toBackup(path, valueAt(raw, "backup"), { messageId, isAtPrompt: false });
  }
  const isAtPrompt = !isTrueAt(raw, "isSnapshotUpdate");
  const tracked = objectAt(raw, "snapshot", "trackedFileBackups") ?? {};
  return Object.entries(tracked).flatMap(([path, backup]) => toBackup(path, backup, { messageId, isAtPrompt }));
}

export function isFileHistory(record: LogRecord): record is Extract<LogRecord, { kind: "side" }> {
  return record.kind === "side" && record.type.startsWith("file-history-");
}

function toBackup(path: string, backup: unknown, at: Pick<FileBackup, "messageId" | "isAtPrompt">): FileBackup[] {
  if (!isObject(backup)) return [];
  const copy = backup["backupFileName"];
  if (copy !== null && typeof copy !== "string") return [];
  return [{ path, copy, time: asString(backup["backupTime"]) ?? null, ...at }];
}
