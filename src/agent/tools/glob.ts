import { statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import picomatch from "picomatch";
import { z } from "zod";
import { defineTool } from "./define-tool.js";
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
  action: ({ path }, { workspace }) => ({ kind: "read", ...workspace.place(path ?? ".") }),
  async run({ pattern, path }, { workspace, signal }) {
    const started = performance.now();
    const folder = workspace.resolve(path ?? ".");
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new ToolError(`Directory does not exist: ${folder}`);
    const matches = picomatch(isAbsolute(pattern) ? pattern : join(folder, pattern), { dot: true });
    const { lines } = await runRipgrep(["--files", "--hidden", "--glob", "!.git/**", folder], workspace.cwd, signal);
    const found = lines.map((line) => resolve(workspace.cwd, line)).filter((file) => matches(file));
    const filenames = newestFirst(found).slice(0, MAX_FILES);
    const truncated = found.length > MAX_FILES;
    const note = truncated ? `\n(Only the newest ${MAX_FILES} of ${found.length} files.)` : "";
    return {
      content: filenames.length === 0 ? "No files found" : filenames.join("\n") + note,
      data: { filenames, durationMs: Math.round(performance.now() - started), numFiles: filenames.length, truncated },
    };
  },
});

export function newestFirst(files: readonly string[]): string[] {
  const timed = files.map((file) => ({ file, time: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  return timed.sort((a, b) => b.time - a.time || a.file.localeCompare(b.file)).map(({ file }) => file);
}
