import type { Mending } from "../../format/mend-record.js";
import type { AssistantRecord, LogRecord, UserRecord } from "../../format/record.js";
import type { Node } from "../../session/node.js";
import { chainNodes } from "../chain-nodes.js";
import { type EditSource, isInConversation, type SourceRecord } from "../edit-source.js";
import { readWhole } from "../read-whole.js";
import { type JudgeContext, judgeRecord } from "./judge-record.js";
import type { Survey } from "./survey-session.js";

export interface JudgedSession {
  readonly removed: Map<SourceRecord, string>;
  readonly mendings: ReadonlyMap<SourceRecord, Mending>;
}

interface Grounds {
  readonly survey: Survey;
  /** With a uuid each. */
  readonly branch: readonly Node[];
  /** A uuid for a record that has none. */
  readonly nameOf: (record: { readonly line: number; readonly offset: number }) => string;
  readonly stale: number | undefined; // line of the message whose counts are too high
}

/** What goes and what is put right, record by record. */
export function judgeSession(source: EditSource, { survey, branch, stale, nameOf }: Grounds): JudgedSession {
  const context = toContext(source, branch, survey, stale);
  const removed = new Map<SourceRecord, string>();
  const mendings = new Map<SourceRecord, Mending>();
  const clock = createClock(source, branch);
  const uuids = new Map(branch.map((node) => [source.recordOf(node), node.uuid]));
  for (const [record, known] of readWhole(source)) {
    const reason = reasonToRemove(record, source);
    if (reason !== undefined) removed.set(known, reason);
    const uuid = known.uuid === undefined ? uuids.get(known) : undefined;
    if (record.kind !== "user" && record.kind !== "assistant") {
      const isNameless = known.uuid === undefined && isInConversation(known);
      if (isNameless) mendings.set(known, { uuid: uuid ?? nameOf(known), isRoot: uuid === undefined });
      continue;
    }
    const judgement = judgeRecord(record, known, context);
    if (judgement.kind === "remove") removed.set(known, judgement.reason);
    const isLoose = known.uuid === undefined && uuid === undefined;
    const timestamp = clock.correct(record, known);
    const mending = {
      ...(judgement.kind === "mend" ? judgement.mending : {}),
      ...(record.raw["type"] === record.kind ? {} : { type: record.kind }),
      ...(uuid === undefined ? {} : { uuid }),
      ...(isLoose ? { uuid: nameOf(known), isRoot: true } : {}),
      ...(timestamp === undefined ? {} : { timestamp }),
    };
    if (judgement.kind === "mend" || Object.keys(mending).length > 0) mendings.set(known, mending);
  }
  return { removed, mendings };
}

function toContext(
  source: EditSource,
  branch: readonly Node[],
  survey: Survey,
  stale: number | undefined,
): JudgeContext {
  const onBranch = new Set(branch.map((node) => source.recordOf(node)));
  const lastTurn = new Set(source.outline.turns.at(-1)?.nodes.map((node) => source.recordOf(node)));
  const isIncomplete = [...survey.unsigned].some((record) => lastTurn.has(record));
  return {
    survey,
    isOnBranch: (record) => onBranch.has(record),
    called: new Set(branch.flatMap((node) => node.calls?.map(({ id }) => id) ?? [])),
    losesThinking: (record) => isIncomplete && lastTurn.has(record),
    staleMessage: stale === undefined ? undefined : branch.find(({ line }) => line === stale)?.message,
  };
}

const NO_LEAF = /^[0-]*$/;

function reasonToRemove(record: LogRecord, { outline }: EditSource): string | undefined {
  if (record.kind === "broken") return "lines that cannot be read";
  if (record.kind !== "side" || record.fact.tells !== "lastPrompt") return undefined;
  const { leafUuid } = record.fact;
  const isLost = leafUuid != null && !NO_LEAF.test(leafUuid) && !outline.uuids.has(leafUuid);
  return isLost ? "hints at an end that is not there" : undefined;
}

interface Clock {
  /** The time that a record should have, where its own is missing or that of what it answers. */
  correct(record: UserRecord | AssistantRecord, known: SourceRecord): string | undefined;
}

function createClock({ records, outline, recordOf }: EditSource, branch: readonly Node[]): Clock {
  const times = new Map(records.map(({ uuid, time }) => [uuid, time]));
  const { parents } = chainNodes(branch);
  const named = new Map(branch.map((node) => [recordOf(node), node.uuid]));
  let last = records.find(({ time }) => time !== undefined)?.time ?? 0;
  return {
    correct(record, known) {
      const uuid = named.get(known) ?? known.uuid;
      const { time } = known;
      const parent = parents.get(uuid ?? "") ?? outline.mendedParents.get(uuid ?? "") ?? known.parentUuid;
      const isEqual = record.kind === "assistant" && time !== undefined && times.get(parent ?? "") === time;
      const corrected = time === undefined || isEqual ? (time ?? last) + 1 : undefined;
      last = corrected ?? time ?? last;
      return corrected === undefined ? undefined : new Date(corrected).toISOString();
    },
  };
}
