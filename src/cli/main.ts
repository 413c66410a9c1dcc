import { VERSION } from "../app/version.js";
import { isFileError, reasonOf, UserError } from "../errors.js";
import { neutralize } from "../render/safe-text.js";
import { listenToNotices } from "../store/notices.js";
import type { Io } from "./io.js";
import { COMMAND_GROUPS, COMMANDS, findCommand } from "./registry.js";

const WITHOUT_COMMAND = "open";
const HELP: readonly (string | undefined)[] = ["--help", "-h"];
const VERSION_OPTIONS: readonly (string | undefined)[] = ["--version", "-V"];

/** Whether only the version or some help is asked for: nothing is read or written then. */
export function asksOnly(args: readonly string[]): boolean {
  const [name] = args;
  return name === "help" || VERSION_OPTIONS.includes(name) || args.some((arg) => HELP.includes(arg));
}

/** Claude Code waits for it, before each tool call too: whatever is not its own work is left to other commands. */
export function isHook([name]: readonly string[]): boolean {
  return name === "hook";
}

/** Returns the exit code, so that only `bin.ts` ends the process. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  const unlisten = listenToNotices(io.warn);
  try {
    return await run(args, io);
  } catch (error) {
    const { code, message, hint } = toUserError(error);
    io.stderr(neutralize(`turnlog: ${message}\n${hint ? `  ${hint}\n` : ""}`));
    return code === "usage" ? 2 : 1;
  } finally {
    unlisten();
  }
}

/** How a warning is printed. Messages may quote file names, which may hold terminal escapes. */
export function toWarning(message: string): string {
  return neutralize(`turnlog: ${message}\n`);
}

/** File errors, such as a missing file or a full disk, are for the user to fix. */
function toUserError(error: unknown): UserError {
  if (error instanceof UserError) return error;
  if (!isFileError(error)) throw error;
  const place = error.path === undefined ? "" : `${error.path}: `;
  return new UserError("unreadable", `${place}${reasonOf(error)}`, hintFor(error.code), { cause: error });
}

function hintFor(code: string | undefined): string {
  if (code === "ENOSPC" || code === "EDQUOT") return "free some disk space, then try again";
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "check the permissions";
  return "check that it exists and is readable";
}

async function run(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args;
  if (VERSION_OPTIONS.includes(name)) return print(io, `${VERSION}\n`);
  if (HELP.includes(name)) return print(io, overview());
  if (name === "help" && rest[0] === "--man")
    return print(io, await (await import("./reference/man-page.js")).manPage(io));
  if (name === "help") return rest[0] === undefined ? print(io, overview()) : runNamed(rest[0], ["--help"], io);
  if (name === undefined || name.startsWith("-")) return runNamed(WITHOUT_COMMAND, args, io);
  if (name === "completion" && rest[0] === "suggest") return suggest(rest[1] ?? "", io);
  // The archive is updated together with the index, so users look for it there too.
  if (name === "index" && rest[0] === "archive") return runNamed("archive", rest.slice(1), io);
  return runNamed(name, rest, io);
}

async function runNamed(name: string, args: readonly string[], io: Io): Promise<number> {
  const entry = findCommand(name);
  const command = await entry.load();
  if (command.runAtOnce && !args.some((arg) => HELP.includes(arg))) return command.runAtOnce(io, args);
  const { runCommand } = await import("./run-command.js");
  return runCommand(entry, command, args, io);
}

/** For the scripts of `turnlog completion`. */
async function suggest(line: string, io: Io): Promise<number> {
  const { suggestWords } = await import("./reference/suggest-words.js");
  const suggestions = await suggestWords(line.split("\n").slice(1, -1), io);
  return print(io, suggestions.map(({ word, help }) => `${word}\t${help}\n`).join(""));
}

async function print(io: Io, text: string): Promise<number> {
  await io.stdout(text);
  return 0;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const groups = COMMAND_GROUPS.map(({ title, commands }) => {
    const rows = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
    return `${title}:\n${rows.join("\n")}\n`;
  });
  return `turnlog ${VERSION}: browse, search, measure, edit and share Claude Code sessions

Usage: turnlog <command> [options]

${groups.join("\n")}
Name a session by file path, id, unique id prefix, exact title, or \`last\`.
Run \`turnlog <command> --help\` for details. With no command, turnlog opens the web UI.
`;
}
