import { type FileCall, toFileCall } from "../format/file-call.js";
import { resolvePath } from "./file-path.js";
import type { ToolCall } from "./pair-tool-calls.js";
import type { ToolStatus } from "./tool-status.js";
import { countLines, findHunks } from "./unified-diff.js";

/** That a call read, wrote or edited a file, without the content. */
export interface FileTouch {
  readonly path: string;
  readonly kind: FileCall["kind"];
  readonly status: ToolStatus;
  readonly isNew: boolean; // there was no such file before
  /** Lines; null: the records do not tell. */
  readonly added: number | null;
  readonly removed: number | null;
}

export function toFileTouch(call: ToolCall, cwd: string | null): FileTouch | undefined {
  const fileCall = toFileCall(call);
  if (!fileCall) return undefined;
  const { kind, path, before } = fileCall;
  const isChange = kind !== "read" && call.status === "ok";
  return {
    path: resolvePath(path, cwd),
    kind,
    status: call.status,
    isNew: isChange && before === null,
    ...(isChange ? changedLines(fileCall) : { added: 0, removed: 0 }),
  };
}

function changedLines({ before, after, hunks, replacements }: FileCall): Pick<FileTouch, "added" | "removed"> {
  if (hunks.length > 0) return countLines(hunks);
  if (before !== undefined && typeof after === "string") return countLines(findHunks(before ?? "", after));
  const isOnce = replacements.length > 0 && replacements.every(({ isEverywhere }) => !isEverywhere);
  return isOnce
    ? countLines(replacements.flatMap(({ from, to }) => findHunks(from, to)))
    : { added: null, removed: null };
}
