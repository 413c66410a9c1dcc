import type { LoadedSession } from "../library/load-session.js";
import { paintEvent } from "../render/event-lines.js";
import { isFailed, toEvents } from "../session/events.js";
import type { Io } from "./io.js";
import { type ShowOptions, type TurnRange, toPaintOptions } from "./show-options.js";

/** A session as a flat list of events, for reading or as a JSON array. */
export function* eventPieces(
  session: LoadedSession,
  { from, to }: TurnRange,
  options: ShowOptions,
  io: Io,
): Generator<string> {
  const { style, columns } = toPaintOptions(options, io);
  const turns = session.turns(from, to);
  let separator = "[\n";
  for (const event of toEvents(from === 1 ? { preamble: session.preamble(), turns } : { turns })) {
    if (options.errors && !isFailed(event)) continue;
    yield options.json ? separator + JSON.stringify(event) : paintEvent(event, columns, style);
    separator = ",\n";
  }
  if (options.json) yield separator === "[\n" ? "[]\n" : "\n]\n";
}
