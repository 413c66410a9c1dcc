import { neutralize } from "../neutralize.js";
import type { ShownSession } from "../shown-session.js";
import { sessionSteps } from "./session-steps.js";
import type { RecordingOptions } from "./stage.js";
import { timeSteps } from "./time-steps.js";

/** An asciicast v2 file, line by line: a header, then what is printed when. */
export function* sessionCast(session: ShownSession, options: RecordingOptions): Generator<string> {
  const { title, startedAt } = session.header;
  const seconds = Math.floor(Date.parse(startedAt ?? "") / 1000);
  const header = {
    version: 2,
    width: options.columns,
    height: options.rows,
    ...(Number.isNaN(seconds) ? {} : { timestamp: seconds }),
    title: neutralize(title).replace(/\s+/g, " "),
    env: { TERM: "xterm-256color" },
  };
  yield `${JSON.stringify(header)}\n`;
  for (const { at, text } of timeSteps(sessionSteps(session, options), options.speed)) {
    yield `${JSON.stringify([Math.round(at * 1000) / 1000, "o", text])}\n`;
  }
}
