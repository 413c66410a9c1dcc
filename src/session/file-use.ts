import { stringAt } from "../format/json.js";

/** What a tool call does with a file. */
export interface FileUse {
  readonly path: string;
  readonly how: "read" | "written" | "edited" | "other";
}

const HOW: Readonly<Record<string, FileUse["how"]>> = {
  Read: "read",
  NotebookRead: "read",
  Write: "written",
  Edit: "edited",
  MultiEdit: "edited",
  NotebookEdit: "edited",
};

/** Undefined for calls that name no file: a shell command may touch any, and nothing records which. */
export function toFileUse(name: string, input: unknown): FileUse | undefined {
  const path = stringAt(input, "file_path") ?? stringAt(input, "notebook_path");
  if (path === undefined || path === "") return undefined;
  return { path, how: (Object.hasOwn(HOW, name) ? HOW[name] : undefined) ?? "other" };
}
