import type { ApiMessage } from "../../format/record/api-message.js";
import type { LogRecord } from "../../format/record/record.js";
import type { Bodies } from "../graph/node.js";
import { type Outline, outlineRecords } from "../open-session.js";
import { indexBodies } from "../turns/build-turn.js";
import { layOutReplay, type SystemRole } from "./lay-out-replay.js";
import { gatherPieces, pairReplayCalls, replaceResults } from "./replay-pieces.js";
import { openReplayLog, type ReplayReport } from "./replay-report.js";
import { type ReplaySelection, selectReplay } from "./select-replay.js";

export interface ReplayOptions {
  /** `separate` needs a model that accepts messages of role `system`; 2.1.325 sends them. */
  readonly systemRole?: SystemRole;
}

export interface Replay {
  readonly messages: readonly ApiMessage[];
  readonly report: ReplayReport;
}

/**
 * The messages that Claude Code would send to resume a session: append the next prompt, and the API accepts them.
 * Empty for a session without messages.
 */
export function toApiMessages(
  records: readonly LogRecord[],
  options: ReplayOptions & { readonly leaf?: string } = {},
): Replay {
  const outline = outlineRecords(records, options.leaf === undefined ? {} : { leaf: options.leaf });
  return replayOutline(outline, indexBodies(records), options);
}

export function replayOutline(outline: Outline, bodies: Bodies, options: ReplayOptions = {}): Replay {
  return replaySelection(selectReplay(outline), bodies, options);
}

/** Of the bodies only those of the selected nodes are needed, so that a large file is not read as a whole. */
export function replaySelection(
  { nodes, compactionLine, missingPreserved, replaced }: ReplaySelection,
  bodies: Bodies,
  { systemRole = "inline" }: ReplayOptions = {},
): Replay {
  const log = openReplayLog();
  for (let count = 0; count < missingPreserved; count++) log.add("missing-preserved", compactionLine ?? 0);
  const pieces = replaceResults(gatherPieces(nodes, bodies, log), replaced);
  const calls = pairReplayCalls(pieces, log);
  const messages = layOutReplay(pieces, calls, systemRole, log);
  return { messages, report: log.report(compactionLine) };
}
