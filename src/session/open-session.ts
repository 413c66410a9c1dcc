import type { LogRecord } from "../format/record.js";
import { emptyFacts, type Facts, observe } from "./facts.js";
import { type Node, toNode } from "./node.js";
import { type Outline, type OutlineOptions, viewOutline } from "./outline.js";
import { type MessageSketch, sketchMessage } from "./session-message.js";

/** A session being read: records in, in file order, one by one or all at once; an outline out, at any time. */
export interface OpenSession {
  push(record: LogRecord): void;
  view(options?: OutlineOptions): Outline;
  snapshot(): Snapshot;
}

/** All that reading has learned so far, as JSON: keep it beside a file position and reading can go on from there. */
export interface Snapshot {
  readonly version: number;
  readonly facts: Facts;
  readonly nodes: readonly Node[];
  readonly messages: readonly MessageSketch[];
  readonly seen: readonly string[];
}

const SNAPSHOT_VERSION = 1;

/** From a snapshot of another version nothing is taken over: read the file again. */
export function openSession(snapshot?: Snapshot): OpenSession {
  const known = snapshot?.version === SNAPSHOT_VERSION ? structuredClone(snapshot) : undefined;
  const facts = known?.facts ?? emptyFacts();
  const nodes = [...(known?.nodes ?? [])];
  const messages = new Map(known?.messages.map((message) => [message.key, message]));
  const seen = new Set(known?.seen);
  const indexOf = new Map(nodes.flatMap(({ uuid }, index) => (uuid === undefined ? [] : [[uuid, index]])));

  function push(record: LogRecord): void {
    facts.records += 1;
    if (isRepeated(record)) return;
    const node = toNode(record);
    const earlier = node?.uuid === undefined ? undefined : indexOf.get(node.uuid);
    if (record.kind === "assistant") {
      const message = sketchMessage(record, messages.get(node?.message ?? ""));
      messages.set(message.key, message);
    }
    if (node && earlier !== undefined) {
      replace(earlier, node);
      return;
    }
    observe(facts, record);
    if (node) append(node);
  }

  function append(node: Node): void {
    if (node.uuid !== undefined) indexOf.set(node.uuid, nodes.length);
    nodes.push(Object.assign(node, sharedStrings(node)));
  }

  /** Every id stands in a file again and again; the skeleton of a long session keeps each once. */
  function sharedStrings({ parentUuid, message }: Node): Pick<Node, "parentUuid" | "message"> {
    const parent = typeof parentUuid === "string" ? nodes[indexOf.get(parentUuid) ?? -1] : undefined;
    return {
      parentUuid: parent?.uuid ?? parentUuid,
      message: message === undefined ? undefined : (messages.get(message)?.key ?? message),
    };
  }

  /** A line without uuid that stands in the file twice counts once, unless it may be meant: a row without any time. */
  function isRepeated(record: LogRecord): boolean {
    if (record.kind === "broken" || record.fingerprint === undefined) return false;
    if (record.kind !== "other" && record.timestamp === undefined) return false;
    const isKnown = seen.has(record.fingerprint);
    seen.add(record.fingerprint);
    return isKnown;
  }

  /** The same uuid again: the place of the first, the content of the last. */
  function replace(index: number, node: Node): void {
    const first = nodes[index];
    if (!first) return;
    nodes[index] = { ...node, line: first.line, bodyLine: node.line };
    if (first.length === node.length) return;
    const message = `line ${node.line} has the uuid of line ${first.line} with other content; the later content is used`;
    facts.warnings.push({ line: node.line, code: "duplicate-uuid", message });
  }

  return {
    push,
    view: (options = {}) => viewOutline({ facts: structuredClone(facts), nodes, messages: new Map(messages) }, options),
    snapshot: () =>
      structuredClone({ version: SNAPSHOT_VERSION, facts, nodes, messages: [...messages.values()], seen: [...seen] }),
  };
}
