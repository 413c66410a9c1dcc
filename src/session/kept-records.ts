import type { PreservedFields } from "../format/record.js";
import type { Node } from "./node.js";
import type { Outline } from "./outline.js";

/** What the compactions of a branch left in the context word by word; it is shown where it was written. */
export interface KeptRecords {
  readonly lines: ReadonlySet<number>;
  readonly uuids: ReadonlySet<string>;
  /** How many messages and prompts each compaction kept, by its line. */
  readonly counts: ReadonlyMap<number, number>;
}

export function findKeptRecords({ active, compactions }: Outline): KeptRecords {
  const found = compactions.map(({ line, preserved }) => ({ line, nodes: keptNodes(preserved, active) }));
  const nodes = found.flatMap((compaction) => compaction.nodes);
  return {
    lines: new Set(nodes.map(({ line }) => line)),
    uuids: new Set(nodes.flatMap(({ uuid }) => uuid ?? [])),
    counts: new Map(found.map((compaction) => [compaction.line, countMessages(compaction.nodes)])),
  };
}

/** Where only head and tail are named, everything on the way from the tail up to the head. */
export function preservedUuids(preserved: PreservedFields | null, nodes: readonly Node[]): Set<string> {
  if (!preserved) return new Set();
  const { uuids, head, tail } = preserved;
  if (uuids.length > 0 || head === undefined || tail === undefined) return new Set(uuids);
  const parentOf = new Map(nodes.map(({ uuid, parentUuid }) => [uuid, parentUuid]));
  const chain = new Set<string>();
  for (let at: string | null | undefined = tail; typeof at === "string" && !chain.has(at); at = parentOf.get(at)) {
    chain.add(at);
    if (at === head) return chain;
  }
  return new Set([head, tail]);
}

function keptNodes(preserved: PreservedFields | null, active: readonly Node[]): Node[] {
  const asked = preservedUuids(preserved, active);
  return asked.size === 0 ? [] : active.filter(({ uuid }) => uuid !== undefined && asked.has(uuid));
}

/** A tool result goes with its call. */
function countMessages(nodes: readonly Node[]): number {
  const said = nodes.filter(
    ({ kind, role }) => kind === "assistant" || role === "queuedPrompt" || (kind === "user" && role !== "toolResult"),
  );
  return new Set(said.map((node) => node.message ?? node)).size;
}
