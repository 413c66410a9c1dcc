import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { defineTool } from "./define-tool.js";
import { globMatcher } from "./glob-matcher.js";
import { runRipgrep } from "./ripgrep.js";
import { ToolError } from "./tool.js";

const MAX_FILES = 100;

export const globTool = defineTool({
  name: "Glob",
  description: `Finds files by a pattern such as "src/**/*.ts", newest first, at most ${MAX_FILES}. What .gitignore names is left out.`,
  schema: z.object({
    pattern: z.string().min(1).describe("The pattern"),
    path: z.string().optional().describe("The folder to look in; else the working directory"),
  }),
  isReadOnly: true,
  action: (input, { workspace }) => ({ kind: "read", ...workspace.place(placeOf(input).folder) }),
  async run(input, { workspace, signal }) {
    const started = performance.now();
    const asked = workspace.resolve(input.path ?? ".");
    if (!isFolder(asked)) throw new ToolError(`Directory does not exist: ${asked}`);
    const { folder, rest } = placeOf(input);
    const searched = workspace.resolve(folder);
    const matches = globMatcher([rest || "**"]);
    const files = isFolder(searched) ? await listFiles(searched, signal) : [];
    const found = files.filter((file) => matches(relative(searched, file)));
    const filenames = newestFirst(found).slice(0, MAX_FILES);
    const truncated = found.length > MAX_FILES;
    const note = truncated ? `\n(Only the newest ${MAX_FILES} of ${found.length} files.)` : "";
    return {
      content: filenames.length === 0 ? "No files found" : filenames.join("\n") + note,
      data: { filenames, durationMs: Math.round(performance.now() - started), numFiles: filenames.length, truncated },
    };
  },
});

/** The folder that the literal beginning of a pattern names, and what is left of the pattern. */
function placeOf({ pattern, path = "." }: { pattern: string; path?: string | undefined }) {
  const [beginning = ""] = /^(?:[^/*?[\]{}()!+@\\]*\/)*/.exec(pattern) ?? [];
  const folder = /^[/~]/.test(beginning) ? beginning : join(path, beginning);
  return { folder, rest: pattern.slice(beginning.length) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function listFiles(folder: string, signal: AbortSignal): Promise<readonly string[]> {
  return (await runRipgrep(["--files", "--hidden", "--glob", "!.git", folder], folder, signal)).lines;
}

export function newestFirst(files: readonly string[]): string[] {
  const timed = files.map((file) => ({ file, time: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  return timed.sort((a, b) => b.time - a.time || a.file.localeCompare(b.file)).map(({ file }) => file);
}
