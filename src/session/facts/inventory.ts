import { objectAt, stringAt } from "../../format/json.js";
import type { AssistantRecord, LogRecord, UserRecord } from "../../format/record/record.js";
import { classifyInput } from "../prompts/classify-input.js";

export interface Count {
  readonly name: string;
  readonly count: number;
}

/** What a session file is made of, counted by line: nothing is merged or omitted, so repeated lines count again. */
export interface Inventory {
  readonly lines: number; // blank ones aside
  readonly brokenLines: number;
  readonly versions: readonly Count[]; // only some records carry one
  readonly types: readonly Count[];
  readonly toolCalls: number;
  readonly humanTurns: number; // prompts by their meaning, whether their content is a string or a list
  readonly stringContents: number; // user records whose content is a string
  /** One for each assistant line; `null` where it was not known yet. */
  readonly stopReasons: readonly Count[];
  /** Of lists only: a message whose content is a string has no blocks. */
  readonly blocks: readonly Count[];
  readonly systemSubtypes: readonly Count[];
  readonly attachmentTypes: readonly Count[];
  readonly progressTypes: readonly Count[];
}

export interface InventoryCounter {
  add(record: LogRecord): void;
  view(): Inventory;
}

/** Records in file order; abridged ones will do. */
export function createInventory(): InventoryCounter {
  const tally = emptyTally();
  return { add: (record) => addRecord(tally, record), view: () => viewTally(tally) };
}

interface Tally {
  lastLine: number;
  lines: number;
  brokenLines: number;
  toolCalls: number;
  humanTurns: number;
  stringContents: number;
  readonly versions: Map<string, number>;
  readonly types: Map<string, number>;
  readonly stopReasons: Map<string, number>;
  readonly blocks: Map<string, number>;
  readonly systemSubtypes: Map<string, number>;
  readonly attachmentTypes: Map<string, number>;
  readonly progressTypes: Map<string, number>;
}

function emptyTally(): Tally {
  return {
    lastLine: 0,
    lines: 0,
    brokenLines: 0,
    toolCalls: 0,
    humanTurns: 0,
    stringContents: 0,
    versions: new Map(),
    types: new Map(),
    stopReasons: new Map(),
    blocks: new Map(),
    systemSubtypes: new Map(),
    attachmentTypes: new Map(),
    progressTypes: new Map(),
  };
}

const UNNAMED = "(none)";

function addRecord(tally: Tally, record: LogRecord): void {
  const isNewLine = record.line !== tally.lastLine; // glued records share a line
  tally.lastLine = record.line;
  if (isNewLine) tally.lines += 1;
  if (record.kind === "broken") {
    tally.brokenLines += 1;
    return;
  }
  count(tally.types, record.type || UNNAMED);
  if (record.version !== undefined) count(tally.versions, record.version);
  switch (record.kind) {
    case "user":
      addUser(tally, record);
      break;
    case "assistant":
      count(tally.stopReasons, record.stopReason ?? "null");
      addBlocks(tally, record);
      break;
    case "system":
      count(tally.systemSubtypes, record.subtype ?? UNNAMED);
      break;
    case "attachment":
      count(tally.attachmentTypes, record.attachmentType ?? UNNAMED);
      break;
    case "progress":
      count(tally.progressTypes, record.progressType ?? UNNAMED);
      break;
  }
}

/** The prompt of a sub-agent is not a person's. */
function addUser(tally: Tally, record: UserRecord): void {
  if (!record.isSidechain && classifyInput(record) === "prompt") tally.humanTurns += 1;
  addBlocks(tally, record);
}

function addBlocks(tally: Tally, record: UserRecord | AssistantRecord): void {
  if (hasStringContent(record)) {
    if (record.kind === "user") tally.stringContents += 1;
    return;
  }
  for (const { kind, raw } of record.blocks) {
    count(tally.blocks, stringAt(raw, "type") ?? UNNAMED);
    if (kind === "toolCall") tally.toolCalls += 1;
  }
}

function hasStringContent({ raw }: UserRecord | AssistantRecord): boolean {
  return stringAt(objectAt(raw, "message") ?? raw, "content") !== undefined;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function viewTally({ lastLine: _, ...tally }: Tally): Inventory {
  return {
    ...tally,
    versions: listCounts(tally.versions),
    types: listCounts(tally.types),
    stopReasons: listCounts(tally.stopReasons),
    blocks: listCounts(tally.blocks),
    systemSubtypes: listCounts(tally.systemSubtypes),
    attachmentTypes: listCounts(tally.attachmentTypes),
    progressTypes: listCounts(tally.progressTypes),
  };
}

/** The most frequent first. */
function listCounts(counts: ReadonlyMap<string, number>): Count[] {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
