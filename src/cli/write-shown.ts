import { chooseSessionOrDemo } from "../app/choose-session.js";
import { type ChosenView, chooseView } from "../app/choose-view.js";
import { sessionJson } from "../app/export/session-json.js";
import type { Io } from "../app/io.js";
import { loadOptions } from "../app/load-options.js";
import { maskingRedactor } from "../app/redaction.js";
import { parseTurnRange, type ShowOptions, toPaintOptions, withHighlighter } from "../app/show-options.js";
import { keepHeapSmall } from "../app/small-heap.js";
import { UserError } from "../errors.js";
import { readRecords } from "../format/record-reader.js";
import { type LoadOptions, loadFound } from "../library/load-session.js";
import { formatCount } from "../render/format-values.js";
import { paintInventory } from "../render/inventory-tables.js";
import { showSession } from "../render/show-session.js";
import type { PaintOptions } from "../render/terminal/paint-options.js";
import { sessionText } from "../render/terminal/session-text.js";
import { createInventory } from "../session/inventory.js";
import { eventPieces } from "./event-pieces.js";
import { writePages } from "./write-pages.js";

/** One session for reading, as JSON, as events, or what its file is made of. */
export async function writeShown(name: string, options: ShowOptions, io: Io): Promise<void> {
  keepHeapSmall();
  const paint = toPaintOptions(options, io);
  refuseIdleOptions(options);
  parseTurnRange(options.turns);
  const load = await loadOptions(io);
  const found = await chooseSessionOrDemo(name, options, io, load);
  const isPaged = !options.json && options.pager !== false;
  if (options.inventory) {
    await writePages(inventoryPieces(found.open(), options), isPaged, io);
    return;
  }
  const choice = chooseView(loadFound(found, { ...load, longestResult: longestResult(options) }), options);
  const painted = { ...options, load, io, paint: await withHighlighter(paint) };
  const isReadOn = await writePages(shownPieces(choice, painted), isPaged, io);
  if (isReadOn && !options.events && !options.json) writeNotes(choice, io);
}

/** In brief, results are told by their first lines at most. */
function longestResult({ tools, json, events }: ShowOptions): number {
  return tools === "full" || json || events ? Number.POSITIVE_INFINITY : 256 * 1024;
}

/** An option that does nothing is a misunderstanding. */
function refuseIdleOptions({ errors, events, branch }: ShowOptions): void {
  if (errors && !events) throw new UserError("usage", "--errors goes with --events", "add --events");
  if (events && branch === "all") {
    throw new UserError("usage", "--events shows one branch", "name a branch by its last message instead of `all`");
  }
}

function* inventoryPieces(path: string, { json }: ShowOptions): Generator<string> {
  const inventory = createInventory();
  for (const record of readRecords(path, { abridge: true })) inventory.add(record);
  const view = inventory.view();
  yield json ? `${JSON.stringify(view, null, 2)}\n` : paintInventory(view);
}

interface Painted extends ShowOptions {
  readonly load: LoadOptions;
  readonly io: Io;
  readonly paint: PaintOptions;
}

function shownPieces({ session, range, deadLeaves }: ChosenView, painted: Painted): Iterable<string> {
  const { load, io, paint, ...options } = painted;
  const clean = options.reveal ? <Value>(value: Value) => value : maskingRedactor().json;
  if (options.events) return eventPieces(session, { range, clean, options, io });
  if (options.json) return sessionJson(session, deadLeaves, { range, clean });
  return sessionText(showSession(session, { range, clean, prices: load.prices, deadLeaves }), paint);
}

function writeNotes({ session, deadLeaves }: ChosenView, io: Io): void {
  const { deadBranches, warnings } = session.outline;
  const hidden = deadBranches.length - deadLeaves.length;
  if (hidden > 0) io.stderr(`${formatCount(hidden, "rewound branch", "rewound branches")} not shown (--branch all)\n`);
  if (warnings.length > 0) io.stderr(`${formatCount(warnings.length, "warning")} (turnlog verify tells more)\n`);
}
