import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { isFileError } from "../../errors.js";
import { fileNameOf, isPlainFileName } from "./path-forms.js";
import { owningSessionFile, sessionPaths } from "./session-paths.js";

/**
 * The spilled tool output that a `<persisted-output>` mentions. The mentioned path may be of another machine or from
 * before a move, so only its file name counts, looked up among this session's tool results. What a session says never
 * leads to a file outside its project, not even through a link.
 */
export function findToolResultFile(file: string, mentionedPath: string): string | undefined {
  const name = fileNameOf(mentionedPath);
  if (!isPlainFileName(name)) return undefined;
  const { projectDir, toolResultsDir } = sessionPaths(owningSessionFile(file));
  const path = join(toolResultsDir, name);
  const [real, realProject] = [realPath(path), realPath(projectDir)];
  return real !== undefined && realProject !== undefined && real.startsWith(realProject + sep) ? path : undefined;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}
