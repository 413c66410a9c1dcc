import { toForkStart } from "../../format/record/fork-start.js";
import { spokenWords } from "../../format/record/persons-words.js";
import type {
  AssistantRecord,
  AttachmentRecord,
  LogRecord,
  Place,
  PreservedFields,
  SystemRecord,
  UserRecord,
} from "../../format/record/record.js";
import { isSynthetic, messageKey } from "../messages/message.js";
import { type ResultStatus, toResultStatus } from "../messages/tool-status.js";
import { classifyInput, type InputClass, ownText, promptText } from "../prompts/classify-input.js";
import {
  channelWords,
  isInterruptMarker,
  isTaskNotification,
  leadingTag,
  parseCommand,
  parseTaskNotification,
} from "../prompts/wrappers.js";

/** What a record is in the conversation. */
export type NodeRole =
  | InputClass
  | "answer" // a record of a message by the model
  | "synthetic" // written by Claude Code in place of the model
  | "apiError"
  | "injectedAnswer"
  | "boundary" // of a compaction
  | "localCommand"
  | "localOutput"
  | "turnDuration"
  | "notice" // a system line with text
  | "queuedNotification" // a task's end that was delivered while the model was busy
  | "queuedPrompt" // typed while the model was busy, and delivered
  | "plain";

/** One record without its body: what the graph, the turns and the totals need. */
export interface Node extends Place {
  /** Where the body was read, when a later line with the same uuid replaced it. */
  readonly bodyLine?: number;
  readonly kind: LogRecord["kind"];
  readonly role: NodeRole;
  readonly uuid?: string | undefined;
  readonly parentUuid?: string | null | undefined;
  readonly logicalParentUuid?: string;
  /** The uuid by which other records name it, unless one of them has it. */
  readonly sentAs?: string;
  /** Of a boundary: what its compaction preserved. */
  readonly preserved?: PreservedFields;
  readonly time?: number | undefined; // ms since the epoch
  readonly isSidechain?: true;
  readonly agentId?: string;
  readonly message?: string | undefined; // key of its message
  readonly calls?: readonly CallName[] | undefined;
  readonly results?: readonly ResultOutline[] | undefined;
  /** The text of a prompt, cut to 1024 characters. */
  readonly text?: string | undefined;
  readonly task?: TaskLink;
  /** The call that made a forked sub-agent; on the record that gives it its directive. */
  readonly forkCall?: string;
}

export interface CallName {
  readonly id: string;
  readonly name: string;
}

export interface ResultOutline {
  readonly id: string;
  readonly status: ResultStatus;
  readonly isError: boolean;
}

/** Links a launched task or sub-agent to later records about it. */
export interface TaskLink {
  readonly taskId?: string;
  readonly toolUseId?: string;
  readonly status?: string; // from its notification
  readonly durationMs?: number;
}

/** Where the record of a node is in the file. */
export function bodyPlace({ line, bodyLine, offset, length }: Node): Place {
  return { line: bodyLine ?? line, offset, length };
}

const MAX_TEXT = 1024;

/** Undefined for records outside the conversation: side records, broken lines, unknown types without uuid. */
export function toNode(record: LogRecord): Node | undefined {
  switch (record.kind) {
    case "user":
      return Object.assign(nodeBase(record), userPart(record), sentAsPart(record));
    case "assistant":
      return Object.assign(nodeBase(record), assistantPart(record));
    case "system":
      return Object.assign(nodeBase(record), systemPart(record));
    case "attachment":
      return Object.assign(nodeBase(record), attachmentPart(record));
    case "progress":
      return Object.assign(nodeBase(record), progressLink(record.progressAgentId, record.parentToolUseId));
    case "other":
      return record.uuid === undefined ? undefined : nodeBase(record);
    case "side":
    case "broken":
      return undefined;
  }
}

/** One shape for all, since nodes make up the memory of a long session. Rare fields are added only where they occur. */
function nodeBase(record: Exclude<LogRecord, { kind: "broken" }>): Node {
  const { line, offset, length, kind, uuid, parentUuid, timestamp } = record;
  const time = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  const node: { -readonly [Field in keyof Node]: Node[Field] } = {
    line,
    offset,
    length,
    kind,
    role: "plain",
    uuid,
    parentUuid,
    time: Number.isNaN(time) ? undefined : time,
    message: undefined,
    calls: undefined,
    results: undefined,
    text: undefined,
  };
  if (record.isSidechain) node.isSidechain = true;
  if (record.agentId !== undefined) node.agentId = record.agentId;
  return node;
}

function userPart(record: UserRecord): Pick<Node, "role" | "results" | "text" | "task" | "forkCall"> {
  const fork = toForkStart(record);
  if (fork) {
    const results = [{ id: fork.toolUseId, status: "ok" as const, isError: false }];
    return { role: "prompt", text: cutText(fork.directive), forkCall: fork.toolUseId, results };
  }
  const role = classifyInput(record);
  switch (role) {
    case "toolResult": {
      const results = record.blocks
        .filter((block) => block.kind === "toolResult")
        .map((block) => ({ id: block.toolUseId, status: toResultStatus(block, record), isError: block.isError }));
      return { role, results, ...launchLink(record, results[0]?.id) };
    }
    case "notification": {
      return { role, ...notificationPart(ownText(record.blocks)) };
    }
    case "prompt":
    case "command":
    case "bash":
      return { role, text: cutText(promptText(record)) };
    default:
      return { role };
  }
}

function sentAsPart({ sentAsUuid }: UserRecord): Pick<Node, "sentAs"> {
  return sentAsUuid === undefined ? {} : { sentAs: sentAsUuid };
}

function notificationPart(text: string): Pick<Node, "text" | "task"> {
  const { taskId, toolUseId, status, durationMs, summary } = parseTaskNotification(text);
  const ending = {
    ...(status === undefined ? {} : { status }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
  return { text: cutText(summary ?? ""), task: { ...link(taskId, toolUseId), ...ending } };
}

/** A result that launched something names it, so that a later notification or sub-agent file finds its call. */
function launchLink({ launchedId }: UserRecord, toolUseId: string | undefined): Pick<Node, "task"> {
  return launchedId === undefined ? {} : { task: link(launchedId, toolUseId) };
}

function progressLink(agentId: string | undefined, toolUseId: string | undefined): Pick<Node, "task"> {
  return agentId === undefined ? {} : { task: link(agentId, toolUseId) };
}

function link(taskId: string | undefined, toolUseId: string | undefined): TaskLink {
  return { ...(taskId === undefined ? {} : { taskId }), ...(toolUseId === undefined ? {} : { toolUseId }) };
}

function assistantPart(record: AssistantRecord): Pick<Node, "role" | "message" | "calls" | "results"> {
  const calls = record.blocks.filter((block) => block.kind === "toolCall").map(({ id, name }) => ({ id, name }));
  const results = record.blocks
    .filter((block) => block.kind === "toolResult")
    .map(({ toolUseId, isError }) => ({
      id: toolUseId,
      status: isError ? ("error" as const) : ("ok" as const),
      isError,
    }));
  return {
    role: answerRole(record),
    message: messageKey(record),
    calls: calls.length > 0 ? calls : undefined,
    results: results.length > 0 ? results : undefined,
  };
}

function answerRole(record: AssistantRecord): NodeRole {
  if (record.isApiError) return "apiError";
  if (isSynthetic(record)) return "synthetic";
  return record.isMeta ? "injectedAnswer" : "answer";
}

function systemPart(record: SystemRecord): Pick<Node, "role" | "text" | "logicalParentUuid" | "preserved"> {
  switch (record.subtype) {
    case "compact_boundary":
      return { role: "boundary", ...boundaryPart(record) };
    case "turn_duration":
      return { role: "turnDuration" };
    case "local_command":
      return localCommandPart(record.content ?? "");
    default:
      return spokenPart(record) ?? { role: record.content?.trim() ? "notice" : "plain" };
  }
}

function spokenPart(record: SystemRecord): Pick<Node, "role" | "text"> | undefined {
  const spoken = spokenWords(record);
  return spoken && { role: spoken.isQueued ? "queuedPrompt" : "prompt", text: cutText(spoken.text) };
}

function boundaryPart({ logicalParentUuid, compaction }: SystemRecord): Pick<Node, "logicalParentUuid" | "preserved"> {
  return {
    ...(logicalParentUuid === undefined ? {} : { logicalParentUuid }),
    ...(compaction?.preserved === undefined ? {} : { preserved: compaction.preserved }),
  };
}

/** The command is tagged, but 2.1.120 and later write the bare line for commands they do not know. */
function localCommandPart(content: string): Pick<Node, "role" | "text"> {
  const prompt = localCommandText(content);
  return prompt === undefined ? { role: "localOutput" } : { role: "localCommand", text: cutText(prompt) };
}

/** The command of a `local_command` record as typed; undefined where it holds the output of a command. */
export function localCommandText(content: string): string | undefined {
  const tag = leadingTag(content);
  if (tag === undefined) return content.trim();
  const command = tag.startsWith("command-") ? parseCommand(content) : undefined;
  return command && `${command.name} ${command.args}`.trim();
}

function attachmentPart(record: AttachmentRecord): Pick<Node, "role" | "text" | "task"> {
  const notification = queuedNotification(record);
  if (notification !== undefined) return { role: "queuedNotification", ...notificationPart(notification) };
  const text = queuedText(record);
  return text === undefined ? { role: "plain" } : { role: "queuedPrompt", text: cutText(text) };
}

function queuedNotification({ queued }: AttachmentRecord): string | undefined {
  return queued && isTaskNotification(queued.text) ? queued.text : undefined;
}

/** The words of a message that was queued by a person; undefined for any other attachment. */
export function queuedText({ queued }: AttachmentRecord): string | undefined {
  if (!queued?.isByPerson || isInterruptMarker(queued.text) || isTaskNotification(queued.text)) return undefined;
  return channelWords(queued.text);
}

/** What a person said in the record of a prompt: typed, queued, written in a channel or spoken. */
export function wordsOfPrompt(record: LogRecord | undefined): string {
  switch (record?.kind) {
    case "user":
      return promptText(record);
    case "attachment":
      return queuedText(record) ?? "";
    case "system":
      return spokenWords(record)?.text ?? "";
    default:
      return "";
  }
}

/** The part of a text that a node stores. */
export function cutText(text: string): string {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
}

/** Whole records, found by their nodes. */
export interface Bodies {
  of(node: Node): LogRecord | undefined;
  all(nodes: readonly Node[]): LogRecord[];
}

/** Of nodes of two files: `first` are those of the first one. */
export function joinBodies(first: readonly Node[], firstBodies: Bodies, otherBodies: Bodies): Bodies {
  const isFirst = new Set(first);
  const of = (node: Node) => (isFirst.has(node) ? firstBodies : otherBodies).of(node);
  return { of, all: (nodes) => nodes.flatMap((node) => of(node) ?? []) };
}

/** The nodes of a session in file order, each uuid once. */
export interface Skeleton {
  readonly nodes: readonly Node[];
  has(uuid: string | undefined): boolean;
  find(uuid: string | null | undefined): Node | undefined;
  append(node: Node): void;
  /** The same uuid again: the place of the first, the content of the last. Returns the node it replaced. */
  replace(node: Node): Node | undefined;
  hasMessage(key: string): boolean;
}

export function createSkeleton(known: readonly Node[] = []): Skeleton {
  const nodes = [...known];
  const indexOf = new Map<string, number>();
  const recordsOf = new Map<string, number>(); // of each message
  const countRecord = ({ message }: Node, by: 1 | -1) => {
    if (message !== undefined) recordsOf.set(message, (recordsOf.get(message) ?? 0) + by);
  };
  nodes.forEach((node, index) => {
    if (node.uuid !== undefined) indexOf.set(node.uuid, index);
    countRecord(node, 1);
  });
  const find = (uuid: string | null | undefined) => (typeof uuid === "string" ? indexOf.get(uuid) : undefined);

  return {
    nodes,
    has: (uuid) => find(uuid) !== undefined,
    find: (uuid) => nodes[find(uuid) ?? -1],
    append(node) {
      if (node.uuid !== undefined) indexOf.set(node.uuid, nodes.length);
      // Every uuid occurs twice in a file, once as a parent: sharing the string halves their memory.
      const parentUuid = nodes[find(node.parentUuid) ?? -1]?.uuid ?? node.parentUuid;
      nodes.push(Object.assign(node, { parentUuid }));
      countRecord(node, 1);
    },
    replace(node) {
      const index = find(node.uuid) ?? -1;
      const first = nodes[index];
      if (!first) return undefined;
      nodes[index] = { ...node, line: first.line, bodyLine: node.line };
      countRecord(first, -1);
      countRecord(node, 1);
      return first;
    },
    hasMessage: (key) => (recordsOf.get(key) ?? 0) > 0,
  };
}
