import { emptyFacts } from "./facts.js";
import { listAt } from "./list-at.js";
import type { Node } from "./node.js";
import { type Outline, viewOutline } from "./outline.js";

/** A sub-agent whose records stand in the session file itself (1.x). */
export interface InlineAgent {
  readonly agentId: string;
  readonly nodes: readonly Node[];
  readonly outline: Outline;
}

/** One agent per id, or per root where they have none. */
export function inlineAgents({ sidechains, messages }: Outline): InlineAgent[] {
  const groups = new Map<string, Node[]>();
  const groupOf = new Map<string, string>();
  for (const node of sidechains) {
    const key = node.agentId ?? groupOf.get(node.parentUuid ?? "") ?? node.uuid ?? `line-${node.line}`;
    if (node.uuid !== undefined) groupOf.set(node.uuid, key);
    listAt(groups, key).push(node);
  }
  return [...groups].map(([agentId, nodes]) => ({ agentId, nodes, outline: outlineOf(nodes, messages) }));
}

function outlineOf(nodes: readonly Node[], messages: Outline["messages"]): Outline {
  const own = nodes.flatMap(({ message }) => messages.get(message ?? "") ?? []);
  const facts = { ...emptyFacts(), records: nodes.length };
  return viewOutline({ facts, nodes, messages: new Map(own.map((message) => [message.key, message])) });
}
