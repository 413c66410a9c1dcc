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
      hunks: toHunks(arrayAt(call.resultData, "structuredPatch")),
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

/** One for a tool that is about a file, one for each file that a shell command changed as far as that is recorded. */
export function toFileCalls(call: AnsweredCall): FileCall[] {
  const own = isFileTool(call.name) ? FILE_TOOLS[call.name]?.(call) : undefined;
  return own ? [own] : shellFileCalls(toShellDiff(call.resultData));
}

/** What a shell command changed: Claude Code compares the files before and after it (2.1.281 and later, in some modes). */
export interface ShellDiff {
  readonly files: readonly { readonly path: string; readonly hunks: readonly Hunk[] }[];
  /** Changed files whose lines are not recorded. */
  readonly others: readonly string[];
  readonly gap: ShellGap | null;
}

/** What is not recorded of the changes of a shell command. */
export interface ShellGap {
  /** Changed files that are not named. */
  readonly unnamed: number;
  /** Why the files were not compared; null: they were. */
  readonly reason: string | null;
}

export function toShellDiff(resultData: unknown): ShellDiff | undefined {
  const noted = objectAt(resultData, "bashEditDiff");
  if (!noted) return undefined;
  const files = arrayAt(noted, "files").flatMap((file) => {
    const path = plainPath(stringAt(file, "filePath"));
    return path === undefined ? [] : [{ path, hunks: toHunks(arrayAt(file, "hunks")) }];
  });
  const shown = new Set(files.map(({ path }) => path));
  const others = arrayAt(noted, "changedFiles").flatMap((path) => {
    const plain = typeof path === "string" ? plainPath(path) : undefined;
    return plain === undefined || shown.has(plain) ? [] : [plain];
  });
  const unnamed = Math.max(0, (countAt(noted, "moreFiles") ?? 0) - others.length);
  const reason = ["skipped", "unavailable"].map((key) => reasonAt(noted, key)).find((words) => words !== null) ?? null;
  return { files, others, gap: unnamed > 0 || reason !== null ? { unnamed, reason } : null };
}

/** `skipped` and `unavailable` may hold a reason or only say that it is so. */
function reasonAt(noted: unknown, key: string): string | null {
  const value = valueAt(noted, key);
  if (value === undefined || value === null || value === false) return null;
  const words = asString(value) ?? stringAt(value, "reason") ?? "";
  return words === "" || words === key ? key : `${key}: ${words}`;
}

function shellFileCalls(diff: ShellDiff | undefined): FileCall[] {
  if (!diff) return [];
  const none = { kind: "edit" as const, after: undefined, before: undefined, replacements: [], hunks: [] };
  return [
    ...diff.files.map(({ path, hunks }) => ({ ...none, path, hunks, ...wholeNewFile(hunks) })),
    ...diff.others.map((path) => ({ ...none, path })),
  ];
}

/** A hunk that replaces nothing from the first line on is all of a new file. */
function wholeNewFile(hunks: readonly Hunk[]): Partial<Pick<FileCall, "before" | "after">> {
  const [only, ...others] = hunks;
  if (!only || others.length > 0 || only.oldLines > 0 || only.oldStart > 1) return {};
  const added = only.lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
  const isOpen = only.lines.at(-1)?.startsWith("\\") ?? false;
  return added.length === only.newLines ? { before: null, after: added.join("\n") + (isOpen ? "" : "\n") } : {};
}

function plainPath(path: string | undefined): string | undefined {
  return path && !path.includes("\0") ? path : undefined;
}

function toEdit(call: AnsweredCall): FileCall | undefined {
  return toCall("edit", call, {
    before: contentBefore(call),
    replacements: toReplacements(call),
    hunks: toHunks(arrayAt(call.resultData, "structuredPatch")),
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
  const plain = plainPath(path);
  if (plain === undefined) return undefined;
  return { kind, path: plain, before: undefined, after: undefined, replacements: [], hunks: [], ...recorded };
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
function toHunks(noted: readonly unknown[]): Hunk[] {
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
