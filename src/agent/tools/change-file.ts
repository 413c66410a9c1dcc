import { existsSync, statSync } from "node:fs";
import { z } from "zod";
import { isFileError } from "../../format/file-error.js";
import { countPlaces, replaceText } from "./replace-text.js";
import { readTextFile, type TextFile, writeTextFile } from "./text-file.js";
import { ToolError, type ToolOutcome } from "./tool.js";
import type { ToolContext } from "./tool-context.js";
import { refuseUnread } from "./write.js";

/** The parameters of one replacement. */
export const replacement = {
  old_string: z.string().describe("The text to replace, exactly as it stands in the file, without line numbers"),
  new_string: z.string().describe("What to put in its place"),
  replace_all: z.boolean().optional().default(false).describe("Replace every occurrence"),
};

interface Change {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

export function updated(path: string, data: object): ToolOutcome {
  return { content: `The file ${path} has been updated successfully.`, data };
}

interface ChangedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const OTHER_WAY = "Change it with Bash, in its own encoding.";

/** Makes all changes or none, in a file that the model knows as it is. */
export function changeFile(
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
  if (file && !file.isUtf8) throw new ToolError(`${path} is not in UTF-8; an edit would damage it. ${OTHER_WAY}`);
  const before = file?.text ?? "";
  const after = changes.reduce((text, change) => replaceText(text, change, file?.lineEnds === "mixed"), before);
  if (after === before) throw new ToolError("No changes to make: the file would stay as it is.", true);
  beforeChange(path);
  writeTextFile(path, after, file);
  workspace.noteSeen(path);
  return { path, before, after };
}

/** In how many places a file changes, where `replace_all` leaves that open. Undefined: it changes once, or the call will fail. */
export function describePlaces(
  filePath: string,
  changes: readonly Change[],
  { workspace }: ToolContext,
): string | undefined {
  const path = workspace.resolve(filePath);
  if (!changes.some(({ replace_all }) => replace_all) || !existsSync(path) || !statSync(path).isFile())
    return undefined;
  const file = readIfAllowed(path);
  const places = file && countPlaces(file.text, changes, file.lineEnds === "mixed");
  return places === undefined ? undefined : `changes ${places} ${places === 1 ? "place" : "places"} in the file`;
}

function readIfAllowed(path: string): TextFile | undefined {
  try {
    return readTextFile(path);
  } catch (error) {
    if (isFileError(error)) return undefined; // the change itself will say so
    throw error;
  }
}
