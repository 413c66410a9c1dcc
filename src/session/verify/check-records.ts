import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { objectAt, stringAt } from "../../format/json.js";
import { projectSlugs } from "../../format/layout/session-paths.js";
import type { Line } from "../../format/reader/parse-line.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import { wrongTypes } from "../../format/record/field-types.js";
import { extraBlockFields } from "../../format/record/known-names.js";
import { type AssistantRecord, isKnownType, type LogRecord, type UserRecord } from "../../format/record/record.js";
import { type Node, toNode } from "../graph/node.js";
import { isSynthetic, messageKey } from "../messages/message.js";
import type { ProblemLog } from "./problem-log.js";

/** What is wrong with a line before anything in it is read. */
export function checkBytes(line: Line, log: ProblemLog): void {
  const bytes = line.bytes.subarray(line.start, line.end);
  if (line.isAbridged) log.add("oversized-line", line.number, line.length);
  if (line.offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) log.add("byte-order-mark", line.number);
  if (line.isTerminated && bytes.at(-1) === CR) log.addOnce("crlf", line.number);
  if (!isUtf8(bytes)) log.add("invalid-utf8", line.number);
  const nuls = countNuls(bytes);
  if (nuls > 0) log.add("nul-bytes", line.number, nuls);
  if (!line.isAbridged && hasLoneSurrogate(bytes)) log.add("lone-surrogate", line.number);
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const CR = 0x0d;

function countNuls(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) count += 1;
  return count;
}

/** UTF-8 cannot encode half a pair; an escape can. */
function hasLoneSurrogate(bytes: Buffer): boolean {
  if (!bytes.includes("\\ud") && !bytes.includes("\\uD")) return false;
  let pairFrom = -1; // where the other half of an open pair must be
  for (const found of bytes.toString("latin1").matchAll(ESCAPE)) {
    const unit = Number.parseInt(found[1] ?? "0", 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== (pairFrom === found.index)) return true;
    if (pairFrom >= 0 && !isLow) return true;
    pairFrom = unit >= 0xd800 && unit < 0xdc00 ? found.index + found[0].length : -1;
  }
  return pairFrom >= 0;
}

/** Every escape, so that the second of two backslashes does not begin one. */
const ESCAPE = /\\(?:u([0-9a-f]{4})|.)/gi;

/** What is wrong with a record by itself; `ownId` is the session's id, if its file is named by one. */
export function checkRecord(record: LogRecord, ownId: string | undefined, log: ProblemLog): void {
  if (record.kind === "broken") {
    log.add(record.isTruncatedTail ? "truncated-last-line" : "broken-line", record.line, record.reason);
    return;
  }
  if (!isKnownType(record.type)) log.addOnce("unknown-type", record.line, record.type);
  if (ownId !== undefined && record.sessionId !== undefined && record.sessionId !== ownId) {
    log.addOnce("session-id-differs", record.line, record.sessionId);
  }
  const preserved = record.kind === "system" ? record.compaction?.preserved : undefined;
  if (preserved) log.add("preserved-records", record.line, preserved.uuids.length || "some");
  if (record.kind === "user" || record.kind === "assistant") checkMessageRecord(record, log);
}

function checkMessageRecord(record: UserRecord | AssistantRecord, log: ProblemLog): void {
  const { line, timestamp } = record;
  for (const { field, expected, found } of wrongTypes(record.raw)) {
    log.add("wrong-type", line, `${field} should be ${expected} and is ${found}`);
  }
  if (record.uuid === undefined) log.add("missing-uuid", line);
  if (record.parentUuid === undefined) log.add("missing-parent-field", line);
  if (record.sessionId === undefined) log.add("missing-session-id", line);
  if (timestamp === undefined) log.add("missing-timestamp", line);
  else if (Number.isNaN(Date.parse(timestamp))) log.add("invalid-timestamp", line, timestamp);
  if (record.kind === "assistant" && record.messageId === undefined) log.add("missing-message-id", line);
}

/** What the API would refuse, or older versions cannot read, when a session is resumed. */
export function checkContent(record: UserRecord | AssistantRecord, log: ProblemLog): void {
  const { line, blocks } = record;
  for (const { raw } of blocks) for (const name of extraBlockFields(raw)) log.add("extra-block-field", line, name);
  if (record.kind === "user") return;
  if (stringAt(objectAt(record.raw, "message") ?? record.raw, "content") !== undefined) log.add("string-answer", line);
  for (const block of blocks) checkAnswerBlock(block, line, log);
}

/** An aborted message may lack a signature too. */
function checkAnswerBlock(block: ContentBlock, line: number, log: ProblemLog): void {
  if (block.kind === "text" && block.text.trim() === "") log.add("empty-text", line);
  if (block.kind !== "thinking") return;
  if (!block.signature) log.add("unsigned-thinking", line);
  else if (block.text === "") log.add("hollow-thinking", line);
}

export interface FolderCheck {
  add(record: LogRecord): void;
  finish(): void;
}

/** A folder for all projects (CLAUDE_CODE_PROJECT_DIR_NAME) is not named after a path, which begins with a separator or a drive. */
const SHARED_FOLDER = /^(?!-|[A-Za-z]--)[A-Za-z0-9_-]{1,64}$/;

/** Whether a session is in the folder of a project in which it was recorded: older versions look only there. */
export function createFolderCheck(folder: string | undefined, log: ProblemLog): FolderCheck {
  let elsewhere: { readonly line: number; readonly cwd: string } | undefined;
  let isAtHome = folder === undefined || SHARED_FOLDER.test(folder);
  return {
    add(record) {
      if (folder === undefined || isAtHome || record.kind === "broken" || !record.cwd) return;
      elsewhere ??= { line: record.line, cwd: record.cwd };
      isAtHome = projectSlugs(record.cwd).includes(folder);
    },
    finish() {
      if (!isAtHome && elsewhere) log.add("other-folder", elsewhere.line, elsewhere.cwd);
    },
  };
}

export interface NodeCollector {
  readonly nodes: readonly Node[];
  /** False for an exact copy of an earlier record. */
  add(record: LogRecord, line: Line): boolean;
}

interface FirstSeen {
  readonly line: number;
  readonly index: number; // of its node
  readonly digest: number;
}

/** Collects the nodes of the conversation, and reports records whose uuid is in use. */
export function createNodeCollector(log: ProblemLog): NodeCollector {
  const nodes: Node[] = [];
  const seen = new Map<string, FirstSeen>();

  function add(record: LogRecord, line: Line): boolean {
    const node = toNode(record);
    if (!node) return true;
    const { uuid } = node;
    const first = uuid === undefined ? undefined : seen.get(uuid);
    if (!first) {
      if (uuid !== undefined) seen.set(uuid, { line: node.line, index: nodes.length, digest: digestOf(record, line) });
      nodes.push(node);
      return true;
    }
    const isSame = first.digest === digestOf(record, line);
    log.add(isSame ? "duplicate-line" : "duplicate-uuid", record.line, first.line);
    if (!isSame) nodes[first.index] = { ...node, line: first.line };
    return !isSame;
  }

  return { nodes, add };
}

function digestOf({ offset, length }: LogRecord, line: Line): number {
  const start = Math.min(line.end, line.start + offset - line.offset);
  const bytes = line.bytes.subarray(start, Math.min(line.end, start + length));
  return hash("sha1", bytes, "buffer").readUIntBE(0, 6);
}

/** Checks of whole messages, which need all their records. */
export interface MessageChecks {
  add(record: LogRecord): void;
  finish(): void;
}

/** System prompt and tool definitions, which no file holds; with many MCP servers they are large. */
const UNSEEN_TOKENS = 100_000;
const BYTES_PER_TOKEN = 4;
/** A text may have up to this many times more tokens than its bytes suggest. */
const ESTIMATE_SLACK = 3;

interface MessageFound {
  readonly line: number;
  hasCall: boolean;
  hasWords: boolean; // or anything else but thinking
  isStoppedForTool: boolean;
  /** The line of thinking after which nothing came. */
  lastThought: number | undefined;
}

const NOTHING_FOUND = { hasCall: false, hasWords: false, isStoppedForTool: false, lastThought: undefined };

export function createMessageChecks(log: ProblemLog): MessageChecks {
  const messages = new Map<string, MessageFound>();
  let contextBytes = 0; // after the last compaction
  let last: { readonly line: number; readonly tokens: number } | undefined;

  function add(record: LogRecord): void {
    if (record.kind === "broken" || record.kind === "side") return;
    if (!record.isSidechain) addToContext(record);
    if (record.kind === "assistant" && !isSynthetic(record)) addAnswer(record);
  }

  function addToContext(record: Exclude<LogRecord, { kind: "broken" }>): void {
    if (record.kind === "system" && record.subtype === "compact_boundary") {
      contextBytes = 0;
      last = undefined;
    }
    contextBytes += record.length;
    const tokens = record.kind === "assistant" && !isSynthetic(record) ? contextTokens(record) : undefined;
    if (tokens !== undefined) last = { line: record.line, tokens };
  }

  function addAnswer(record: AssistantRecord): void {
    const key = messageKey(record);
    const known = messages.get(key) ?? { line: record.line, ...NOTHING_FOUND };
    const last = record.blocks.at(-1);
    known.hasCall ||= record.isAbridged || record.blocks.some(({ kind }) => kind === "toolCall");
    known.hasWords ||= record.isAbridged || record.blocks.some((block) => !isThinking(block));
    known.isStoppedForTool ||= record.stopReason === "tool_use";
    if (last) known.lastThought = isThinking(last) && !record.isAbridged ? record.line : undefined;
    messages.set(key, known);
  }

  function finish(): void {
    for (const { line, hasCall, hasWords, isStoppedForTool, lastThought } of messages.values()) {
      if (isStoppedForTool && !hasCall) log.add("stop-without-call", line);
      if (lastThought !== undefined) log.add(hasWords ? "thinking-last" : "thinking-alone", lastThought);
    }
    const likely = UNSEEN_TOKENS + (contextBytes / BYTES_PER_TOKEN) * ESTIMATE_SLACK;
    if (last && last.tokens > likely) log.add("stale-usage", last.line, last.tokens);
  }

  return { add, finish };
}

function contextTokens({ usage }: AssistantRecord): number | undefined {
  return usage && (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

function isThinking({ kind }: ContentBlock): boolean {
  return kind === "thinking" || kind === "redactedThinking";
}
