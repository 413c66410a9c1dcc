import { parseTurnRange } from "../../app/choose-view.js";
import { type FilterOptions, toFilter } from "../../app/filter-options.js";
import { maskNames } from "../../app/mask-names.js";
import {
  type DeletedPrompts,
  findDeletedPrompts,
  listDeleted,
  type ShownPrompt,
  showDeletedPrompts,
} from "../../app/organize/deleted-sessions.js";
import { maskingRedactor, NO_REDACTION } from "../../app/redaction.js";
import type { RootOptions } from "../../app/session-roots.js";
import { UserError } from "../../errors.js";
import { formatCount, formatTime } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { paintPlainTable } from "../../render/terminal/lists/list-table.js";
import { createStyle, type Style } from "../../render/terminal/style.js";
import { cutToColumns } from "../../text-width.js";
import type { Io } from "../io.js";
import type { ShowOptions } from "../options/show-options.js";
import { isColoured } from "../terminal/is-coloured.js";
import { writePages } from "../terminal/pager.js";
import { harmlessPieces, printedJson, printedLine } from "../terminal/printed-json.js";

interface DeletedOptions extends FilterOptions, RootOptions {
  readonly json?: boolean;
  readonly reveal?: boolean;
  readonly pager?: boolean;
  readonly expiring?: boolean | string;
}

/** `list --deleted`. */
export async function writeDeleted(options: DeletedOptions, io: Io): Promise<void> {
  if (options.expiring !== undefined) throw new UserError("usage", "--deleted and --expiring exclude each other");
  const found = await listDeleted(io, options, toFilter(options));
  const redactor = options.reveal ? undefined : await maskingRedactor(io);
  const sessions = redactor ? found.map((session) => maskNames(session, redactor)) : found;
  if (options.json) return io.stdout(printedJson(sessions, io));
  if (sessions.length === 0) return io.stderr("no deleted session is known\n");
  const rows = sessions.map(({ id, lastPromptAt, prompts, archived, project, firstPrompt }) => [
    id.slice(0, 8),
    formatTime(lastPromptAt),
    formatCount(prompts, "prompt"),
    archived ? "in the archive" : "prompts only",
    neutralize(`${project ?? ""}  ${oneLine(firstPrompt)}`),
  ]);
  const lines = paintPlainTable(rows).split("\n");
  const columns = io.isTerminal ? io.columns : Number.POSITIVE_INFINITY;
  const text = lines.map((line) => `${cutToColumns(line, columns)}\n`).join("");
  await writePages([text], options.pager !== false, io);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Shows a session that only the prompt history knows; false where it knows none of that name. */
export async function writeDeletedPrompts(name: string, options: ShowOptions, io: Io): Promise<boolean> {
  const found = await findDeletedPrompts(name, options, io);
  if (!found) return false;
  const { branch, events, inventory } = options;
  if (branch !== undefined || events || inventory) {
    throw new UserError("usage", `of ${found.id} only the prompts are left`, "show it without that option");
  }
  const { json: clean } = options.reveal ? NO_REDACTION : await maskingRedactor(io);
  const shown = showDeletedPrompts(found, parseTurnRange(options.turns), clean);
  const header = { id: found.id, project: clean({ project: found.project }, "project").project };
  const pieces = options.json
    ? harmlessPieces(promptsJson({ ...found, ...header }, shown, io), io)
    : promptsText({ ...found, ...header }, shown, createStyle(isColoured(io)));
  await writePages(pieces, !options.json && options.pager !== false, io);
  return true;
}

/** `onlyPrompts` tells it from a session. */
function* promptsJson({ id, project, isCut }: DeletedPrompts, shown: Iterable<ShownPrompt>, io: Io): Generator<string> {
  const session = { id, project };
  yield `{"schema":1,"onlyPrompts":true,"session":${printedLine(session, io).trim()},"isCut":${isCut},"prompts":[`;
  let separator = "\n";
  for (const prompt of shown) {
    yield `${separator}${printedLine(prompt, io).trimEnd()}`;
    separator = ",\n";
  }
  yield "\n]}\n";
}

function* promptsText({ id, project, isCut }: DeletedPrompts, shown: Iterable<ShownPrompt>, style: Style) {
  yield `${style.bold(id)}  ${neutralize(project ?? "unknown project")}\n`;
  yield "deleted: only what was typed is left, from Claude Code's prompt history\n";
  for (const { number, at, text, pastes } of shown) {
    yield `\n${style.dim(`${number}  ${formatTime(at)}`)}\n${neutralize(text)}\n`;
    for (const paste of pastes) yield pasteText(paste, style);
  }
  if (isCut) yield "\nmore prompts than are shown here\n";
}

function pasteText({ id, kind, text }: ShownPrompt["pastes"][number], style: Style): string {
  const name = `paste ${id ?? "without number"}`;
  if (text !== null) return `${style.dim(`${name}:`)}\n${neutralize(text).replace(/^/gm, "  ").trimEnd()}\n`;
  return `${style.dim(`${name}: ${kind === "text" ? "deleted by Claude Code's clean-up" : neutralize(kind)}`)}\n`;
}
