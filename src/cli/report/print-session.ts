import { chooseSessionOrDemo } from "../../app/choose-session.js";
import { type ChosenView, chooseView, parseTurnRange } from "../../app/choose-view.js";
import { sessionJson } from "../../app/export/show-json.js";
import { loadOptions, withKnownCosts } from "../../app/load-options.js";
import { maskingRedactor, NO_REDACTION } from "../../app/redaction.js";
import { limitHeapGrowth } from "../../app/small-heap.js";
import { UserError } from "../../errors.js";
import { readRecords } from "../../format/reader/record-reader.js";
import type { FoundSession } from "../../library/found-session.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../../library/load/load-session.js";
import type { Clean } from "../../redact/create-redactor.js";
import { formatCount, formatDuration, formatTime } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { showSession, type TurnRange } from "../../render/show-session.js";
import { paintPlainTable } from "../../render/terminal/lists/list-table.js";
import type { PaintOptions } from "../../render/terminal/paint-options.js";
import { sessionText } from "../../render/terminal/session-text.js";
import type { Style } from "../../render/terminal/style.js";
import { type Count, createInventory, type Inventory } from "../../session/facts/inventory.js";
import { isFailed, type SessionEvent, toEvents } from "../../session/turns/session-events.js";
import { cutToColumns } from "../../text-width.js";
import type { Io } from "../io.js";
import type { ShowOptions } from "../options/show-options.js";
import { writePages } from "../terminal/pager.js";
import { toPaintOptions, withHighlighter } from "../terminal/paint-options.js";
import { harmlessPieces, printedJson, printedLine } from "../terminal/printed-json.js";

/** Prints a session as text, JSON, events, or an inventory of its file. */
export async function writeShown(name: string, options: ShowOptions, io: Io): Promise<void> {
  limitHeapGrowth();
  const paint = toPaintOptions(options, io);
  rejectUnusedOptions(options);
  const turns = options.turns === undefined ? {} : { turns: parseTurnRange(options.turns) };
  const load = await withKnownCosts(await loadOptions(io), options, io);
  const found = await chooseShownOrDeleted(name, options, io, load);
  if (found === undefined) return;
  const isPaged = !options.json && options.pager !== false;
  if (options.inventory) {
    await writePages(inventoryPieces(found.open(), options, io), isPaged, io);
    return;
  }
  const choice = chooseView(loadFound(found, { ...load, ...howToRead(options) }), {
    ...(options.branch === undefined ? {} : { branch: options.branch }),
    ...turns,
  });
  const painted = { ...options, load, io, paint: await withHighlighter(paint) };
  const isReadOn = await writePages(await shownPieces(choice, painted), isPaged, io);
  if (isReadOn && !options.events && !options.json) writeNotes(choice, io);
}

/** Undefined: the prompt history alone knows it, and its prompts were shown. */
async function chooseShownOrDeleted(
  name: string,
  options: ShowOptions,
  io: Io,
  load: LoadOptions,
): Promise<FoundSession | undefined> {
  try {
    return await chooseShown(name, options, io, load);
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== "not-found") throw error;
    const { writeDeletedPrompts } = await import("./print-deleted.js");
    if (await writeDeletedPrompts(name, options, io)) return undefined;
    throw error;
  }
}

/** Without an index, all sessions are read for their titles: one is built for the next time. */
async function chooseShown(name: string, options: ShowOptions, io: Io, load: LoadOptions): Promise<FoundSession> {
  let titled: readonly string[] | undefined;
  try {
    return await chooseSessionOrDemo(name, options, io, load, (roots) => {
      titled = roots;
    });
  } finally {
    if (titled) await (await import("../library-index.js")).buildOnFirstUse(io, titled);
  }
}

/** Brief output shows only the first lines of results. */
function howToRead({ tools, json, events }: ShowOptions): Pick<LoadOptions, "longestResult" | "readsAllTurns"> {
  return tools === "full" || json || events ? { readsAllTurns: true } : { longestResult: 256 * 1024 };
}

/** An option without effect is a misunderstanding. */
function rejectUnusedOptions({ errors, events, branch }: ShowOptions): void {
  if (errors && !events) throw new UserError("usage", "--errors needs --events", "add --events");
  if (events && branch === "all") {
    throw new UserError(
      "usage",
      "--events shows one branch only",
      "name a branch by the id of its last message instead of `all`",
    );
  }
}

function* inventoryPieces(path: string, { json }: ShowOptions, io: Io): Generator<string> {
  const inventory = createInventory();
  for (const record of readRecords(path, { abridge: true })) inventory.add(record);
  const view = inventory.view();
  yield json ? printedJson(view, io) : paintInventory(view);
}

interface Painted extends ShowOptions {
  readonly load: LoadOptions;
  readonly io: Io;
  readonly paint: PaintOptions;
}

async function shownPieces({ session, range, deadLeaves }: ChosenView, painted: Painted): Promise<Iterable<string>> {
  const { load, io, paint, ...options } = painted;
  const { json: clean, stringify } = options.reveal ? NO_REDACTION : await maskingRedactor(io);
  if (options.events) return eventPieces(session, { range, clean, options, io });
  if (options.json) return harmlessPieces(sessionJson(session, deadLeaves, { range, stringify }), io);
  return sessionText(showSession(session, { range, clean, prices: load.prices, deadLeaves }), paint);
}

function writeNotes({ session, deadLeaves }: ChosenView, io: Io): void {
  const { deadBranches, warnings } = session.outline;
  const { archivedLines = 0 } = session.header;
  const hidden = deadBranches.length - deadLeaves.length;
  if (archivedLines > 0) {
    const lines = formatCount(archivedLines, "line");
    io.stderr(`Claude Code trimmed ${lines} from the file; shown here from the archive\n`);
  }
  if (hidden > 0) io.stderr(`${formatCount(hidden, "rewound branch", "rewound branches")} not shown (--branch all)\n`);
  if (warnings.length > 0) io.stderr(`${formatCount(warnings.length, "warning")} (see \`turnlog verify\`)\n`);
}

export interface EventView {
  readonly range: TurnRange;
  readonly clean: Clean;
  readonly options: ShowOptions;
  readonly io: Io;
}

/** A session as a flat list of events, as text or as a JSON array. */
export function* eventPieces(session: LoadedSession, { range, clean, options, io }: EventView): Generator<string> {
  const { style } = toPaintOptions(options, io);
  const { from, to } = range;
  const turns = session.turns(from, to);
  let separator = "[\n";
  for (const event of toEvents(from === 1 ? { preamble: session.preamble(), turns } : { turns })) {
    if (options.errors && !isFailed(event)) continue;
    const shown = clean(event, "event");
    yield options.json ? separator + printedLine(shown, io).trimEnd() : paintEvent(shown, io.columns, style);
    separator = ",\n";
  }
  if (options.json) yield separator === "[\n" ? "[]\n" : "\n]\n";
}

/** One event, one line. */
export function paintEvent(event: SessionEvent, columns: number, style: Style): string {
  const { timestamp, type, tool, input, durationMs, errorMsg } = event;
  const took = durationMs === null ? "" : ` (${formatDuration(durationMs)})`;
  const what = [tool, input].filter((part) => part).join(" ");
  const why = errorMsg ? `: ${errorMsg}` : "";
  const text = neutralize(`${what}${took}${why}`.replace(/\s+/g, " "));
  const line = cutToColumns(`${formatTime(timestamp)}  ${type.padEnd(9)}  ${text}`, columns);
  return `${isFailed(event) ? style.red(line) : line}\n`;
}

/** Counts of what a file contains, table by table. */
export function paintInventory(inventory: Inventory): string {
  const { lines, brokenLines, toolCalls, humanTurns, stringContents } = inventory;
  const sums = { lines, "broken lines": brokenLines, "tool calls": toolCalls, "prompts in the file": humanTurns };
  const figures = Object.entries({ ...sums, "user records with plain text": stringContents });
  const tables: readonly (readonly [string, readonly Count[]])[] = [
    ["file", figures.map(([name, count]) => ({ name, count }))],
    ["versions", inventory.versions],
    ["record types", inventory.types],
    ["stop reasons (per assistant line)", inventory.stopReasons],
    ["content blocks", inventory.blocks],
    ["system subtypes", inventory.systemSubtypes],
    ["attachment types", inventory.attachmentTypes],
    ["progress types", inventory.progressTypes],
  ];
  return tables
    .filter(([, counts]) => counts.length > 0)
    .map(
      ([title, counts]) =>
        `${title}\n${indent(paintPlainTable(counts.map(({ name, count }) => [String(count), neutralize(name)])))}\n`,
    )
    .join("\n");
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}
