import { existsSync, statSync } from "node:fs";
import { z } from "zod";
import { defineTool } from "./define-tool.js";
import { readTextFile, toPatch, writeTextFile } from "./text-file.js";
import { ToolError } from "./tool.js";

export const writeTool = defineTool({
  name: "Write",
  description:
    "Writes a whole file, new or over an existing one. An existing file must have been read before. Prefer Edit for changes to existing files.",
  schema: z.object({
    file_path: z.string().min(1).describe("The file to write, absolute"),
    content: z.string().describe("Its whole new content"),
  }),
  isReadOnly: false,
  action: ({ file_path }, { workspace }) => ({ kind: "edit", ...workspace.place(file_path) }),
  async run({ file_path, content }, { workspace, beforeChange }) {
    const path = workspace.resolve(file_path);
    const exists = existsSync(path);
    if (exists && !statSync(path).isFile()) throw new ToolError(`${path} is not a file.`, true);
    if (exists) refuseUnread(path, workspace.freshness(path));
    const old = exists ? readTextFile(path) : undefined;
    beforeChange(path);
    writeTextFile(path, content, old);
    workspace.noteSeen(path);
    return {
      content: old ? `The file ${path} has been updated successfully.` : `File created successfully at: ${path}`,
      data: {
        type: old ? "update" : "create",
        filePath: path,
        content,
        structuredPatch: old ? toPatch(path, old.text, content) : [],
        originalFile: old?.text ?? null,
        userModified: false,
      },
    };
  },
});

export function refuseUnread(path: string, freshness: "fresh" | "stale" | "unseen"): void {
  if (freshness === "unseen")
    throw new ToolError(`File has not been read yet. Read ${path} first before writing to it.`, true);
  if (freshness === "stale") {
    throw new ToolError(
      `${path} has been modified since it was read, by the user or by a program. Read it again before writing to it.`,
      true,
    );
  }
}
