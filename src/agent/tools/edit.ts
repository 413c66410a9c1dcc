import { z } from "zod";
import { changeFile, describePlaces, replacement, updated } from "./change-file.js";
import { defineTool } from "./define-tool.js";
import { toPatch } from "./text-file.js";

export const editTool = defineTool({
  name: "Edit",
  description:
    "Replaces exact text in a file that was read before. old_string must occur exactly once, unless replace_all is set: add lines around it until it is unique. An empty old_string creates a new file.",
  schema: z.object({ file_path: z.string().min(1).describe("The file to change, absolute"), ...replacement }),
  isReadOnly: false,
  action: ({ file_path }, { workspace }) => ({ kind: "edit", ...workspace.place(file_path) }),
  detail: ({ file_path, ...change }, context) => describePlaces(file_path, [change], context),
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
