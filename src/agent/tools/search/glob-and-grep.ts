import { spawn } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { z } from "zod";
import { isFileError } from "../../../errors.js";
import { childEnvironment } from "../../child-environment.js";
import { isWithin } from "../../workspace.js";
import { createTool } from "../create-tool.js";
import { changed, type JudgedPlace, openJudged, pathsOf, placeOf } from "../files/judged-file.js";
import { ToolError, type ToolOutcome } from "../tool.js";
import type { ToolContext } from "../tool-context.js";
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
  action: (input, context) => ({ kind: "read", ...pathsOf(context, splitPattern(input).folder) }),
  async run(input, context) {
    const started = performance.now();
    const asked = context.workspace.resolve(input.path ?? ".");
    if (!isFolder(asked)) throw new ToolError(`Directory does not exist: ${asked}`);
    const { folder, rest } = splitPattern(input);
    const place = placeOf(context, folder);
    const matches = globMatcher([rest || "**"]);
    const listing = ["--files", "--hidden", "--glob", "!.git"];
    const { lines: files } = place.kind === "a folder" ? await search(place, listing, place.path, context) : NOTHING;
    const found = files.filter((file) => matches(relative(place.path, file)));
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
function splitPattern({ pattern, path = "." }: { pattern: string; path?: string | undefined }) {
  const [beginning = ""] = /^(?:[^/*?[\]{}()!+@\\]*\/)*/.exec(pattern) ?? [];
  const folder = /^[/~]/.test(beginning) ? beginning : join(path, beginning);
  return { folder, rest: pattern.slice(beginning.length) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
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
    .describe(`The maximum number of lines or files; ${DEFAULT_LIMIT} unless given, 0 for all`),
  offset: z.number().int().min(0).optional().describe("Skip this many first"),
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
  action: ({ path }, context) => ({ kind: "read", ...pathsOf(context, path ?? ".") }),
  async run(input, context) {
    const place = placeOf(context, input.path ?? ".");
    const { cwd } = context.workspace;
    if (place.kind === "gone") throw new ToolError(`Path does not exist: ${place.path}`);
    const mode = input.output_mode ?? "files_with_matches";
    const found = await search(place, [...toArguments(input, mode), "--", input.pattern], cwd, context);
    const isHidden = (path: string) => context.isHidden(path) || !isBelow(path, place.path);
    return toOutcome({ ...found, lines: showable(found.lines, isHidden) }, mode, input, cwd);
  },
});

/** False for a file that became a link out of the place, or is gone. */
function isBelow(path: string, place: string): boolean {
  try {
    return isWithin(realpathSync.native(path), place);
  } catch (error) {
    if (isFileError(error)) return false;
    throw error;
  }
}

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

const NOTHING: Searched = { lines: [], isCut: false };

/** Searches what was judged, in the sandbox if there is one: a command that runs there could put links in the way of the search. */
async function search(
  place: JudgedPlace,
  args: readonly string[],
  cwd: string,
  { workspace, sandbox, signal }: ToolContext,
): Promise<Searched> {
  const opened = openJudged(place);
  try {
    const command = [rgPath, "--no-config", ...args, place.path];
    const isConfined = sandbox !== undefined && workspace.isInside(place.path) && workspace.isInside(cwd);
    const found = await runRipgrep(isConfined ? sandbox.wrap(command, { cwd, folders: [] }) : command, cwd, signal);
    if (opened && !opened.isInPlace) throw changed(place.path, "a link");
    return found;
  } finally {
    opened?.close();
  }
}

/** No match is not an error. */
function runRipgrep([file = "", ...args]: readonly string[], cwd: string, signal: AbortSignal): Promise<Searched> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
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
