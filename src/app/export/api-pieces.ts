import { readRecordsAt } from "../../format/record-reader.js";
import type { LoadedSession } from "../../library/load-session.js";
import type { Clean } from "../../redact/clean.js";
import { replayOutline } from "../../session/api-replay.js";
import { indexBodies } from "../../session/bodies.js";
import { bodyPlace } from "../../session/node.js";
import type { ReplayItem } from "../../session/replay-report.js";
import { selectReplay } from "../../session/select-replay.js";
import type { Io } from "../io.js";

/** The messages array that a client would send, as one JSON array; what had to be mended is told beside it. */
export function* apiPieces({ path, outline }: LoadedSession, clean: Clean, io: Pick<Io, "stderr">): Generator<string> {
  const { nodes } = selectReplay(outline);
  const { messages, report } = replayOutline(outline, indexBodies(readRecordsAt(path, nodes.map(bodyPlace))));
  let separator = "[\n";
  for (const message of messages) {
    yield separator + JSON.stringify(clean(message, `${message.role} message`));
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
  for (const item of report.repaired) io.stderr(describe("repaired", item));
  for (const item of report.dropped) io.stderr(describe("dropped", item));
}

function describe(what: string, { kind, count, lines }: ReplayItem): string {
  return `${what}: ${count} ${kind} (line ${lines.join(", ")})\n`;
}
