import { existsSync, statSync } from "node:fs";
import { z } from "zod";
import { defineTool } from "./define-tool.js";
import { replaceText } from "./replace-text.js";
import { readTextFile, toPatch, writeTextFile } from "./text-file.js";
import { ToolError, type ToolOutcome } from "./tool.js";
import type { ToolContext } from "./tool-context.js";
import { refuseUnread } from "./write.js";

const replacement = {
  old_string: z.string().describe("The text to replace, exactly as it stands in the file, without line numbers"),
  new_string: z.string().describe("What to put in its place"),
  replace_all: z.boolean().optional().default(false).describe("Replace every occurrence"),
};

interface Change {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

export const editTool = defineTool({
  name: "Edit",
  description:
    "Replaces exact text in a file that was read before. old_string must occur exactly once, unless replace_all is set: add lines around it until it is unique. An empty old_string creates a new file.",
  schema: z.object({ file_path: z.string().min(1).describe("The file to change, absolute"), ...replacement }),
  isReadOnly: false,
  action: ({ file_path }, { workspace }) => ({ kind: "edit", path: workspace.resolve(file_path) }),
  run: async ({ file_path, ...change }, context) => {
    const { path, before, after } = changeFile(file_path, [change], context);
    return updated(path, {
      filePath: path,
      oldString: change.old_string,
      newString: change.new_string,
      originalFile: before,
      structuredPatch: toPatch(path, before, after),
      userModified: false,
      replaceAll: change.replace_all,
    });
  },
});

export const multiEditTool = defineTool({
  name: "MultiEdit",
  description:
    "Makes several exact replacements in one file, one after the other; either all of them or none. Each follows the rules of Edit.",
  schema: z.object({
    file_path: z.string().min(1).describe("The file to change, absolute"),
    edits: z.array(z.object(replacement)).min(1).describe("The replacements, in order"),
  }),
  isReadOnly: false,
  action: ({ file_path }, { workspace }) => ({ kind: "edit", path: workspace.resolve(file_path) }),
  run: async ({ file_path, edits }, context) => {
    const { path, before, after } = changeFile(file_path, edits, context);
    return updated(path, {
      filePath: path,
      edits,
      originalFileContents: before,
      structuredPatch: toPatch(path, before, after),
      userModified: false,
    });
  },
});

function updated(path: string, data: object): ToolOutcome {
  return { content: `The file ${path} has been updated successfully.`, data };
}

interface ChangedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

function changeFile(
  filePath: string,
  changes: readonly Change[],
  { workspace, beforeChange }: ToolContext,
): ChangedFile {
  const path = workspace.resolve(filePath);
  const exists = existsSync(path);
  if (exists && !statSync(path).isFile()) throw new ToolError(`${path} is not a file.`, true);
  if (!exists && changes[0]?.old_string !== "") throw new ToolError(`File does not exist: ${path}`, true);
  if (exists) refuseUnread(path, workspace.freshness(path));
  const file = exists ? readTextFile(path) : undefined;
  const before = file?.text ?? "";
  const after = changes.reduce((text, change) => replaceText(text, change, file?.lineEnds === "mixed"), before);
  if (after === before) throw new ToolError("No changes to make: the file would stay as it is.", true);
  beforeChange(path);
  writeTextFile(path, after, file);
  workspace.noteSeen(path);
  return { path, before, after };
}
