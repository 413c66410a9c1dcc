import { parseRecords } from "../format/record-reader.js";
import type { Bodies } from "../session/bodies.js";
import { type Node, toNode } from "../session/node.js";
import type { ReplaySelection } from "../session/select-replay.js";

/** After so many of the selected nodes lie records that nobody read. */
export interface Unread {
  readonly after: number;
  readonly records: number;
}

export interface ShortReplay {
  readonly selection: ReplaySelection;
  readonly bodies: Bodies;
  readonly recordsLeftOut: number;
}

/** As many bytes as tell what the conversation is about. */
export const BEGINNING_SHARE = 1 / 16;

/**
 * A conversation that is too long for any request goes on with its beginning, a word about what is left out, and its end
 * from the start of a turn on, if there is one.
 */
export function leaveOutMiddle(
  selection: ReplaySelection,
  maxBytes: number,
  read: (nodes: readonly Node[]) => Bodies,
  unread: Unread = { after: 0, records: 0 },
): ShortReplay {
  const { nodes } = selection;
  const whole = nodes.reduce((sum, { length }) => sum + length, 0);
  if (whole <= maxBytes && unread.records === 0) return { selection, bodies: read(nodes), recordsLeftOut: 0 };
  const beginning = fittingFrom(nodes.slice(0, unread.after || nodes.length), maxBytes * BEGINNING_SHARE);
  const rest = nodes.slice(Math.max(unread.after, beginning.length));
  const fitting = fittingFrom(rest.reverse(), maxBytes * (1 - BEGINNING_SHARE)).reverse();
  const start = fitting.findIndex(({ role }) => role === "prompt");
  const end = start < 0 ? fitting : fitting.slice(start);
  const told = [...beginning, ...end];
  const recordsLeftOut = nodes.length - told.length + unread.records;
  const gap = createGap(recordsLeftOut);
  const bodies = read(told);
  const of = (node: Node) => (node === gap.node ? gap.record : bodies.of(node));
  return {
    selection: { ...selection, nodes: [...beginning, gap.node, ...end] },
    bodies: { of, all: (wanted) => wanted.flatMap((node) => of(node) ?? []) },
    recordsLeftOut,
  };
}

/** The first nodes that have so many bytes together; the very first one in any case. */
function fittingFrom(nodes: readonly Node[], maxBytes: number): Node[] {
  let bytes = 0;
  const end = nodes.findIndex(({ length }, at) => {
    bytes += length;
    return at > 0 && bytes > maxBytes;
  });
  return nodes.slice(0, end < 0 ? nodes.length : end);
}

function createGap(records: number) {
  const content = `(${records} records of this conversation are left out here: it is longer than a request may be.)`;
  const [record] = parseRecords(JSON.stringify({ type: "user", isMeta: true, message: { role: "user", content } }));
  const node = record && toNode(record);
  if (!node) throw new Error("a user record is a node");
  return { record, node };
}
