import { setFlagsFromString } from "node:v8";
import { type Command, Option } from "commander";
import { UserError } from "../../errors.js";
import { readRecords } from "../../format/record-reader.js";
import { type LoadOptions, loadFound } from "../../library/load-session.js";
import { formatCount } from "../../render/format-values.js";
import { paintInventory } from "../../render/inventory-tables.js";
import { showSession } from "../../render/show-session.js";
import type { PaintOptions } from "../../render/terminal/paint-options.js";
import { sessionText } from "../../render/terminal/session-text.js";
import { createInventory } from "../../session/inventory.js";
import { chooseSessionOrDemo } from "../choose-session.js";
import { type ChosenView, chooseView } from "../choose-view.js";
import type { CommandContext } from "../command-context.js";
import { eventPieces } from "../event-pieces.js";
import type { Io } from "../io.js";
import { loadOptions } from "../load-options.js";
import { maskingRedactor } from "../redaction.js";
import { sessionJson } from "../session-json.js";
import { parseTurnRange, type ShowOptions, toPaintOptions, withHighlighter } from "../show-options.js";
import { writePages } from "../write-pages.js";

const NOT_WITH_INVENTORY = ["turns", "branch", "events", "errors", "thinking", "tools"];

/** In percent of what is alive: V8 would let four times as much garbage pile up while the turns of a session pass by. */
const HEAP_GROWTH = "--heap-growing-percent=100";

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .option("--turns <range>", "only these turns: 3, 3-7, 3-, -7")
    .option("--branch <leaf>", "a rewound branch by the id of its last message, or `all`")
    .addOption(new Option("--thinking", "the model's thinking too").conflicts(["json", "events"]))
    .addOption(
      new Option("--tools <how>", "tool calls: full, brief or none").default("brief").conflicts(["json", "events"]),
    )
    .option("--events", "one event after the other instead of turns")
    .option("--errors", "with --events: only what failed")
    .addOption(
      new Option("--inventory", "what the file is made of: lines, versions, types, stop reasons, blocks").conflicts(
        NOT_WITH_INVENTORY,
      ),
    )
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "as JSON")
    .option("--no-pager", "print on the terminal instead of starting a pager")
    .action(async (name: string, options: ShowOptions) => {
      setFlagsFromString(HEAP_GROWTH);
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
      const choice = chooseView(loadFound(found, load), options);
      const painted = { ...options, load, io, paint: await withHighlighter(paint) };
      const isReadOn = await writePages(shownPieces(choice, painted), isPaged, io);
      if (isReadOn && !options.events && !options.json) writeNotes(choice, io);
    });
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
