import { z } from "zod";
import { changeFile, describePlaces, replacement, updated } from "./change-file.js";
import { defineTool } from "./define-tool.js";
import { toPatch } from "./text-file.js";

export const multiEditTool = defineTool({
  name: "MultiEdit",
  description:
    "Makes several exact replacements in one file, one after the other; either all of them or none. Each follows the rules of Edit.",
  schema: z.object({
    file_path: z.string().min(1).describe("The file to change, absolute"),
    edits: z.array(z.object(replacement)).min(1).describe("The replacements, in order"),
  }),
  isReadOnly: false,
  action: ({ file_path }, { workspace }) => ({ kind: "edit", ...workspace.place(file_path) }),
  detail: ({ file_path, edits }, context) => describePlaces(file_path, edits, context),
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
