import type { JsonObject } from "../../format/json.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import { compactionRecords, summaryTitleRecord } from "../../format/writer/new-records.js";
import { bodyPlace, type Node } from "../../session/graph/node.js";
import { ownText } from "../../session/prompts/classify-input.js";
import { planPart } from "../plans/clone-and-fork.js";
import { derivedUuid, type EditOptions, type EditPlan } from "../plans/edit-plan.js";
import type { EditSource } from "../plans/edit-source.js";
import { tokenEstimator } from "../plans/estimate-tokens.js";
import { lowerTokenCounts } from "../plans/lower-counts.js";
import { isInConversation, type SourceRecord } from "../plans/source-record.js";
import { type ChosenTurn, type ChosenTurns, type CompressOptions, chooseTurns } from "./choose-turns.js";
import { condensePerTurn } from "./condense-per-turn.js";
import { answerLines, personLines, promptLines, readTurn } from "./condense-turn.js";
import { openPoints } from "./describe-work.js";

/** The session with its older turns in short: as one summary at which Claude Code starts, or turn by turn. */
export function planCompress(source: EditSource, compress: CompressOptions, options: EditOptions): EditPlan {
  const chosen = chooseTurns(source, compress);
  const plan = compress.perTurn
    ? condensePerTurn(source, chosen, compress, options)
    : startAtSummary(source, chosen, compress, options);
  return lowerTokenCounts(plan);
}

/** The turns that stay, behind a compaction whose summary holds the others. */
function startAtSummary(
  source: EditSource,
  chosen: ChosenTurns,
  compress: CompressOptions,
  options: EditOptions,
): EditPlan {
  const fork = planPart(source, { from: chosen.rest.index }, options);
  const summary = writeSummary(source, chosen, compress);
  const added = Math.round(tokenEstimator(source).tokensOfText(Buffer.byteLength(JSON.stringify(summary))));
  const tokensAfter = fork.tokensAfter + added;
  const summaryUuid = derivedUuid(options.id, "summary");
  const records = compactionRecords({
    session: options.id,
    boundaryUuid: derivedUuid(options.id, "boundary"),
    summaryUuid,
    nextTime: chosen.rest.start.time ?? 0,
    summary,
    tokensBefore: fork.tokensBefore,
    tokensAfter,
    neighbour: rawOf(source, chosen.rest.start),
  });
  const title = compress.summaryTitle === undefined ? [] : [summaryTitleRecord(compress.summaryTitle, summaryUuid)];
  const count = chosen.kept.length + chosen.turns.length;
  return {
    ...fork,
    command: "compress",
    tokensAfter,
    savedTokens: new Map([...fork.savedTokens, ["the summary", -added]]),
    added: new Map([[anchorOf(fork), [...records, ...title]]]),
    parents: new Map([...fork.parents, ...attachToSummary(summaryUuid, fork)]),
    notes: [
      ...fork.notes,
      `${count} ${count === 1 ? "turn becomes" : "turns become"} a summary; Claude Code starts there`,
    ],
  };
}

const INTRODUCTION = `This session is being continued from a previous conversation, which turnlog shortened. What the user said is quoted here word for word; answers and tool calls are shortened.`;

function writeSummary(source: EditSource, chosen: ChosenTurns, compress: CompressOptions): string {
  const { earlier, kept, turns } = chosen;
  const before = earlier ? [textOf(source, earlier)] : [];
  const rest = kept.map((turn): ChosenTurn => ({ turn, level: "light" }));
  const parts = [...rest, ...turns].map(({ turn, level }) => {
    const whole = readTurn(source, turn);
    const made = level === "full" ? undefined : compress.summaries?.get(turn.index);
    const answers =
      made === undefined
        ? answerLines(whole, level, compress.keepCalls ?? false)
        : [`Assistant: ${made}`, ...personLines(whole)];
    return [`## Turn ${turn.index} (line ${turn.start.line})`, ...promptLines(whole), ...answers].join("\n");
  });
  const where = `The full transcript is ${source.transcript}; each turn names the line where it begins there.`;
  return [`${INTRODUCTION} ${where}`, ...before, ...parts, ...describeOpenPoints(source, chosen)].join("\n\n");
}

/** At the end of the session: what stays in full may have settled what was open before. */
function describeOpenPoints(source: EditSource, { turns, rest }: ChosenTurns): string[] {
  const { outline, openTurn } = source;
  const later = outline.turns.filter((turn) => turn.index >= rest.index && turn !== openTurn);
  const points = openPoints([...turns.map(({ turn }) => turn), ...later].map((turn) => readTurn(source, turn)));
  return points.length === 0 ? [] : [["## Open points", ...points.map((point) => `- ${point}`)].join("\n")];
}

function textOf({ path }: EditSource, node: Node): string {
  const [record] = readRecordsAt(path, [bodyPlace(node)]);
  return record?.kind === "user" ? ownText(record.blocks) : "";
}

function rawOf({ path }: EditSource, node: Node): JsonObject {
  const [record] = readRecordsAt(path, [bodyPlace(node)]);
  return record && record.kind !== "broken" ? record.raw : {};
}

/** The record after which the compaction is written. Claude Code omits what comes before it, so nothing that stays may. */
function anchorOf({ source: { records }, changes }: EditPlan): SourceRecord {
  const first = records.findIndex(
    (record) => isInConversation(record) && !record.isSidechain && changes.get(record)?.kind !== "remove",
  );
  const anchor = records[Math.max(0, first - 1)];
  if (!anchor) throw new Error("a session without records has no turns");
  return anchor;
}

/** What was left without a parent follows the summary. */
function attachToSummary(summary: string, { source, changes, survivors, parents }: EditPlan): Map<string, string> {
  const hung = new Map<string, string>();
  for (const node of source.outline.active) {
    const { uuid } = node;
    const record = source.recordOf(node);
    if (!record || uuid === undefined || changes.get(record)?.kind === "remove") continue;
    const parent = parents.has(uuid) ? parents.get(uuid) : node.parentUuid;
    if (typeof parent !== "string" || survivors.get(parent) === null) hung.set(uuid, summary);
  }
  return hung;
}
