import type { Io } from "../app/io.js";
import { type ShowOptions, toPaintOptions } from "../app/show-options.js";
import type { LoadedSession } from "../library/load-session.js";
import type { Clean } from "../redact/clean.js";
import { paintEvent } from "../render/event-lines.js";
import type { TurnRange } from "../render/show-session.js";
import { isFailed, toEvents } from "../session/events.js";

export interface EventView {
  readonly range: TurnRange;
  readonly clean: Clean;
  readonly options: ShowOptions;
  readonly io: Io;
}

/** A session as a flat list of events, for reading or as a JSON array. */
export function* eventPieces(session: LoadedSession, { range, clean, options, io }: EventView): Generator<string> {
  const { style } = toPaintOptions(options, io);
  const { from, to } = range;
  const turns = session.turns(from, to);
  let separator = "[\n";
  for (const event of toEvents(from === 1 ? { preamble: session.preamble(), turns } : { turns })) {
    if (options.errors && !isFailed(event)) continue;
    const shown = clean(event, "event");
    yield options.json ? separator + JSON.stringify(shown) : paintEvent(shown, io.columns, style);
    separator = ",\n";
  }
  if (options.json) yield separator === "[\n" ? "[]\n" : "\n]\n";
}
