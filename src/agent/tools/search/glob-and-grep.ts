import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { z } from "zod";
import { childEnvironment } from "../../child-environment.js";
import { createTool, ToolError, type ToolOutcome } from "../tool.js";
import { globMatcher } from "./glob-matcher.js";

const MAX_FILES = 100;

export const globTool = createTool({
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

/** Splits a pattern into its literal folder and the rest. */
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

function newestFirst(files: readonly string[]): string[] {
  const timed = files.map((file) => ({ file, time: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  return timed.sort((a, b) => b.time - a.time || a.file.localeCompare(b.file)).map(({ file }) => file);
}

const DEFAULT_LIMIT = 250;
const MAX_CHARS = 30_000;

const schema = z.object({
  pattern: z.string().min(1).describe("A regular expression, as ripgrep takes it"),
  path: z.string().optional().describe("File or folder to search; else the working directory"),
  glob: z.string().optional().describe('Only files like this: "*.js", "**/*.tsx"'),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .optional()
    .describe("The lines, the files (default), or how many"),
  "-B": z.number().int().min(0).optional().describe("Lines before each match, with content"),
  "-A": z.number().int().min(0).optional().describe("Lines after each match, with content"),
  "-C": z.number().int().min(0).optional().describe("Lines before and after each match, with content"),
  "-n": z.boolean().optional().describe("Line numbers, with content; on unless false"),
  "-i": z.boolean().optional().describe("Upper and lower case are the same"),
  type: z.string().optional().describe("Only files of a type: js, py, rust, go …"),
  head_limit: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(`At most so many lines or files; ${DEFAULT_LIMIT} unless given, 0 for all`),
  offset: z.number().int().min(0).optional().describe("Leave out so many first"),
  multiline: z.boolean().optional().describe("A match may span lines, and . matches line ends"),
});

type Input = z.infer<typeof schema>;
type Mode = NonNullable<Input["output_mode"]>;

export const grepTool = createTool({
  name: "Grep",
  description:
    "Searches the content of files with ripgrep. Use it instead of grep or rg in Bash. What .gitignore names is left out.",
  schema,
  isReadOnly: true,
  action: ({ path }, { workspace }) => ({ kind: "read", ...workspace.place(path ?? ".") }),
  async run(input, { workspace, signal, isHidden }) {
    const target = workspace.resolve(input.path ?? ".");
    if (!existsSync(target)) throw new ToolError(`Path does not exist: ${target}`);
    const mode = input.output_mode ?? "files_with_matches";
    const found = await runRipgrep([...toArguments(input, mode), "--", input.pattern, target], workspace.cwd, signal);
    return toOutcome({ ...found, lines: showable(found.lines, isHidden) }, mode, input, workspace.cwd);
  },
});

/** With `--null`, ripgrep ends file names with NUL. */
function showable(lines: readonly string[], isHidden: (path: string) => boolean): readonly string[] {
  const hidden = new Map<string, boolean>();
  return lines.flatMap((line) => {
    const [path = "", rest] = line.split("\0");
    const isOne = hidden.get(path) ?? isHidden(path);
    hidden.set(path, isOne);
    if (isOne) return [];
    return rest === undefined ? [path] : [`${path}${/^\d+-/.test(rest) ? "-" : ":"}${rest}`];
  });
}

function toArguments(input: Input, mode: Mode): string[] {
  const context = (flag: "-A" | "-B" | "-C") =>
    mode === "content" && input[flag] !== undefined ? [flag, `${input[flag]}`] : [];
  return [
    "--hidden",
    "--max-columns",
    "500",
    "--color",
    "never",
    ...(mode === "files_with_matches" ? ["--files-with-matches"] : []),
    ...(mode === "count" ? ["--count", "--with-filename", "--null"] : []),
    ...(mode === "content"
      ? ["--no-heading", "--null", "--with-filename", input["-n"] === false ? "--no-line-number" : "--line-number"]
      : []),
    ...(input["-i"] ? ["--ignore-case"] : []),
    ...(input.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(input.type === undefined ? [] : ["--type", input.type]),
    ...[...toGlobs(input.glob ?? ""), "!.git"].flatMap((glob) => ["--glob", glob]),
    ...context("-A"),
    ...context("-B"),
    ...context("-C"),
  ];
}

/** Patterns are separated by commas or spaces; a comma within braces belongs to the pattern. */
function toGlobs(text: string): readonly string[] {
  const globs = text.split(/\s+/).flatMap((part) => (part.includes("{") ? part : part.split(",")));
  return globs.filter((glob) => glob !== "");
}

function toOutcome({ lines, isCut }: Searched, mode: Mode, input: Input, cwd: string): ToolOutcome {
  const ordered = mode === "files_with_matches" ? newestFirst(lines.map((line) => resolve(cwd, line))) : lines;
  const from = input.offset ?? 0;
  const limit = input.head_limit === 0 ? Number.POSITIVE_INFINITY : (input.head_limit ?? DEFAULT_LIMIT);
  const shown = ordered.slice(from, from + limit);
  const isLimited = isCut || ordered.length > from + shown.length;
  const note = isLimited
    ? `\n\n(Shown: ${shown.length} of ${ordered.length}${isCut ? " or more" : ""}; offset shows others.)`
    : "";
  const applied = isLimited && Number.isFinite(limit) ? { appliedLimit: limit } : {};
  const text = shown.join("\n");
  if (mode === "files_with_matches") {
    return {
      content: shown.length === 0 ? "No files found" : `Found ${shown.length} files\n${text}${note}`,
      data: { mode, filenames: shown, numFiles: shown.length, ...applied },
    };
  }
  const content = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}\n… (cut)` : text;
  const counts =
    mode === "count"
      ? { numMatches: shown.reduce((sum, line) => sum + Number(/:(\d+)$/.exec(line)?.[1] ?? 0), 0) }
      : {};
  return {
    content: shown.length === 0 ? "No matches found" : content + note,
    data: {
      mode,
      numFiles: mode === "count" ? shown.length : 0,
      filenames: [],
      content,
      numLines: shown.length,
      ...counts,
      ...applied,
    },
  };
}

const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

interface Searched {
  readonly lines: readonly string[];
  /** There were more results than the limit. */
  readonly isCut: boolean;
}

/** Runs ripgrep without a configuration file. No match is not an error. */
function runRipgrep(args: readonly string[], cwd: string, signal: AbortSignal): Promise<Searched> {
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, ["--no-config", ...args], {
      cwd,
      env: childEnvironment("command"),
      stdio: ["ignore", "pipe", "pipe"],
      signal,
    });
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS);
    const pieces: Buffer[] = [];
    let size = 0;
    let problem = "";
    child.stdout.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size <= MAX_BYTES) pieces.push(piece);
      else child.kill();
    });
    child.stderr.on("data", (piece: Buffer) => {
      problem = (problem + piece.toString()).slice(0, 2_000);
    });
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(new ToolError(`The search could not be run: ${error.message}`));
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      const lines = Buffer.concat(pieces)
        .toString()
        .split("\n")
        .filter((line) => line !== "");
      // Exit code 2 with output: some files could not be read.
      if (code === 2 && lines.length === 0) reject(new ToolError(problem.trim() || "The search failed."));
      else resolve({ lines, isCut: size > MAX_BYTES || code === null });
    });
  });
}
