import type { AssistantRecord, LogRecord, Place } from "../format/record/record.js";
import { collectFacts, emptyFacts, type Facts } from "./facts/facts.js";
import { bodyPlace, type Node, toNode } from "./graph/node.js";
import { type MessageOutline, messageKey, outlineMessage } from "./messages/message.js";
import { type Outline, type OutlineOptions, outlineViewer } from "./outline.js";

/**
 * A session being read: records in, in file order; an outline out, at any time.
 *
 * push: a record becomes a node (graph/node), its message is counted (messages/message), and what it says about the session is
 * noted (facts/facts). view: the nodes are linked (graph/link-nodes), a branch is chosen (graph/find-branches) and grouped into
 * turns (turns/outline-turns), its calls are paired with their results (turns/tool-calls). Bodies are read afterwards, turn by
 * turn (turns/build-turn).
 */
export interface OpenSession {
  /** Returns the place of the record that this one replaces. */
  push(record: LogRecord): Place | undefined;
  view(options?: OutlineOptions): Outline;
  /** Views many branches of what was read so far, each by its leaf. */
  viewer(options?: OutlineOptions): (leaf?: string) => Outline;
  snapshot(): Snapshot;
}

/** The state of an open session as JSON. Stored with a file position, it lets reading continue from there. */
export interface Snapshot {
  readonly version: number;
  readonly facts: Facts;
  readonly nodes: readonly Node[];
  readonly messages: readonly MessageOutline[];
  readonly seen: readonly string[];
}

const SNAPSHOT_VERSION = 2;

/** A snapshot of another version is ignored: read the file again. */
export function openSession(snapshot?: Snapshot): OpenSession {
  const known = snapshot?.version === SNAPSHOT_VERSION ? structuredClone(snapshot) : undefined;
  const facts = known?.facts ?? emptyFacts();
  const skeleton = createSkeleton(known?.nodes);
  const messages = new Map(known?.messages.map((message) => [message.key, message]));
  const seen = new Set(known?.seen);
  const { nodes } = skeleton;

  function push(record: LogRecord): Place | undefined {
    facts.records += 1;
    if (isRepeated(record, seen)) return undefined;
    const node = toNode(record);
    if (record.kind === "assistant") addToMessage(record);
    if (node && skeleton.has(node.uuid)) {
      const first = skeleton.replace(node);
      noteRewrite(first, node);
      return first && bodyPlace(first);
    }
    collectFacts(facts, record);
    if (node) skeleton.append(node);
    return undefined;
  }

  function addToMessage(record: AssistantRecord): void {
    const message = outlineMessage(record, messages.get(messageKey(record)));
    messages.set(message.key, message);
  }

  /** An exact repetition changes nothing; a rewrite replaces the first record, and its message where no other record has it. */
  function noteRewrite(first: Node | undefined, last: Node): void {
    if (!first || isSameContent(first, last)) return;
    if (first.message !== undefined && !skeleton.hasMessage(first.message)) messages.delete(first.message);
    const message = `line ${last.line} has the uuid of line ${first.line} with other content; the later content is used`;
    facts.warnings.push({ line: last.line, code: "duplicate-uuid", message });
  }

  function viewer(options: OutlineOptions = {}): (leaf?: string) => Outline {
    return outlineViewer({ facts: structuredClone(facts), nodes: [...nodes], messages: new Map(messages) }, options);
  }

  return {
    push,
    viewer,
    view: (options) => viewer(options)(options?.leaf),
    snapshot: () =>
      structuredClone({ version: SNAPSHOT_VERSION, facts, nodes, messages: [...messages.values()], seen: [...seen] }),
  };
}

/** The outline of records that are in memory as a whole. */
export function outlineRecords(records: Iterable<LogRecord>, options: OutlineOptions = {}): Outline {
  const session = openSession();
  for (const record of records) session.push(record);
  return session.view(options);
}

/** A line without uuid that occurs twice in the file counts once. Rows without a time may be repeated on purpose. */
function isRepeated(record: LogRecord, seen: Set<string>): boolean {
  if (record.kind === "broken" || record.fingerprint === undefined) return false;
  if (record.kind !== "other" && record.timestamp === undefined) return false;
  const isKnown = seen.has(record.fingerprint);
  seen.add(record.fingerprint);
  return isKnown;
}

function isSameContent(a: Node, b: Node): boolean {
  const content = ({ line: _line, bodyLine: _bodyLine, offset: _offset, ...rest }: Node) => JSON.stringify(rest);
  return content(a) === content(b);
}

/** The nodes of a session in file order, each uuid once. */
interface Skeleton {
  readonly nodes: readonly Node[];
  has(uuid: string | undefined): boolean;
  append(node: Node): void;
  /** The same uuid again: the place of the first, the content of the last. Returns the node it replaced. */
  replace(node: Node): Node | undefined;
  hasMessage(key: string): boolean;
}

function createSkeleton(known: readonly Node[] = []): Skeleton {
  const nodes = [...known];
  const indexOf = new Map<string, number>();
  nodes.forEach(({ uuid }, index) => {
    if (uuid !== undefined) indexOf.set(uuid, index);
  });
  const find = (uuid: string | null | undefined) => (typeof uuid === "string" ? indexOf.get(uuid) : undefined);

  return {
    nodes,
    has: (uuid) => find(uuid) !== undefined,
    append(node) {
      if (node.uuid !== undefined) indexOf.set(node.uuid, nodes.length);
      // Every uuid occurs twice in a file, once as a parent: sharing the string halves their memory.
      const parentUuid = nodes[find(node.parentUuid) ?? -1]?.uuid ?? node.parentUuid;
      nodes.push(Object.assign(node, { parentUuid }));
    },
    replace(node) {
      const index = find(node.uuid) ?? -1;
      const first = nodes[index];
      if (!first) return undefined;
      nodes[index] = { ...node, line: first.line, bodyLine: node.line };
      return first;
    },
    hasMessage: (key) => nodes.some(({ message }) => message === key),
  };
}
