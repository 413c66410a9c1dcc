import { setFlagsFromString } from "node:v8";
import { type Command, Option } from "commander";
import { UserError } from "../../errors.js";
import { readRecords } from "../../format/record-reader.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../../library/load-session.js";
import { formatCount } from "../../render/format-values.js";
import { paintInventory } from "../../render/inventory-tables.js";
import { wrapLines } from "../../render/wrap-lines.js";
import { createInventory } from "../../session/inventory.js";
import { chooseSessionOrDemo } from "../choose-session.js";
import { chooseView } from "../choose-view.js";
import type { CommandContext } from "../command-context.js";
import { eventPieces } from "../event-pieces.js";
import type { Io } from "../io.js";
import { loadOptions } from "../load-options.js";
import { maskingRedactor } from "../redaction.js";
import { sessionJson } from "../session-json.js";
import { sessionText } from "../session-text.js";
import { parseTurnRange, type ShowOptions, toPaintOptions } from "../show-options.js";
import { toShownSession } from "../shown-session.js";

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
    .action(async (name: string, options: ShowOptions) => {
      setFlagsFromString(HEAP_GROWTH);
      toPaintOptions(options, io);
      refuseIdleOptions(options);
      parseTurnRange(options.turns);
      const load = await loadOptions(io);
      const found = await chooseSessionOrDemo(name, options, io, load);
      const pieces = options.inventory
        ? inventoryPieces(found.open(), options)
        : sessionPieces(loadFound(found, load), options, load, io);
      for (const piece of pieces) await io.stdout(piece);
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

function* sessionPieces(
  session: LoadedSession,
  options: ShowOptions,
  { prices }: LoadOptions,
  io: Io,
): Generator<string> {
  const { session: shown, range, deadLeaves } = chooseView(session, options);
  const clean = options.reveal ? <Value>(value: Value) => value : maskingRedactor().json;
  if (options.events) yield* eventPieces(shown, { range, clean, options, io });
  else if (options.json) yield* sessionJson(shown, deadLeaves, { range, clean });
  else {
    const readable = toShownSession(shown, { range, clean, prices, deadLeaves });
    for (const text of sessionText(readable, toPaintOptions(options, io)))
      yield io.isTerminal ? wrapLines(text, io.columns) : text;
    writeNotes(shown, deadLeaves.length, io);
  }
}

function writeNotes({ outline }: LoadedSession, shownDead: number, io: Io): void {
  const { deadBranches, warnings } = outline;
  const hidden = deadBranches.length - shownDead;
  if (hidden > 0) io.stderr(`${formatCount(hidden, "rewound branch", "rewound branches")} not shown (--branch all)\n`);
  if (warnings.length > 0) io.stderr(`${formatCount(warnings.length, "warning")} (turnlog verify tells more)\n`);
}
