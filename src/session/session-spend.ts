import { costOfSpend, type ModelSpend, type PriceTable, spentByModel } from "./messages/cost.js";
import { countOnce, isCountedMessage, type MessageOutline } from "./messages/message.js";
import { sumUsage, type Usage } from "./messages/usage.js";
import type { Outline } from "./open-session.js";

/** Where a message was spent. A sub-agent's messages are its own on all of its branches. */
export type SpentPart = "active" | "rewound" | "subagent";

export interface PlacedMessage {
  readonly message: MessageOutline;
  readonly part: SpentPart;
  /** The turn of the active branch that it belongs to, 1-based; null outside of turns. */
  readonly turn: number | null;
}

export interface PartSpend extends ModelSpend {
  readonly part: SpentPart;
}

/** What a session spent: each message once, in the session that made it. */
export interface SessionCosts {
  /** On all branches and in sub-agents, without messages copied from another session: those count there. */
  readonly totalUsage: Usage;
  /** Null if any model has no known price, like all of these. */
  readonly totalCostUsd: number | null;
  /** Of the total, in sub-agents. */
  readonly subagentCostUsd: number | null;
  /** Of the total, on rewound branches only. */
  readonly rewoundCostUsd: number | null;
  /** Not in the total: of the messages in the session's file that another session made. */
  readonly copiedCostUsd: number | null;
}

/** Of a session of a list, for example. */
export function pickCosts(session: SessionCosts): SessionCosts {
  const { totalUsage, totalCostUsd, subagentCostUsd, rewoundCostUsd, copiedCostUsd } = session;
  return { totalUsage, totalCostUsd, subagentCostUsd, rewoundCostUsd, copiedCostUsd };
}

/** Every message of a file that the model wrote, once. */
export function placeMessages(outline: Outline, isSubagent: boolean): PlacedMessage[] {
  const turns = new Map(
    outline.turns.flatMap(({ index, nodes }) => nodes.map(({ message }) => [message, index] as const)),
  );
  const active = new Set(outline.active.map(({ message }) => message));
  const inSidechains = new Set(outline.sidechains.map(({ message }) => message));
  const keysOf = keysById(outline.messages.values());
  return countOnce(outline.messages.values())
    .filter(isCountedMessage)
    .map((message) => {
      const keys = keysOf.get(message.id ?? message.key) ?? [message.key];
      const turn = isSubagent ? undefined : keys.map((key) => turns.get(key)).find((index) => index !== undefined);
      const isActive = keys.some((key) => active.has(key));
      const isOfAgent = isSubagent || (!isActive && keys.every((key) => inSidechains.has(key)));
      return { message, part: isOfAgent ? "subagent" : isActive ? "active" : "rewound", turn: turn ?? null };
    });
}

function keysById(messages: Iterable<MessageOutline>): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const { id, key } of messages) {
    const known = keys.get(id ?? key);
    if (known) known.push(key);
    else keys.set(id ?? key, [key]);
  }
  return keys;
}

/** By part, model and speed. */
export function spentByPart(messages: readonly PlacedMessage[]): PartSpend[] {
  return PARTS.flatMap((part) =>
    spentByModel(messages.flatMap((placed) => (placed.part === part ? placed.message : []))).map((spent) => ({
      part,
      ...spent,
    })),
  );
}

export const PARTS: readonly SpentPart[] = ["active", "rewound", "subagent"];

/** `own` without what was copied. */
export function sumCosts(
  own: readonly PartSpend[],
  copied: readonly ModelSpend[],
  prices: PriceTable | undefined,
): SessionCosts {
  const of = (part: SpentPart) => own.filter((spent) => spent.part === part);
  return {
    totalUsage: sumUsage(own.map(({ usage }) => usage)),
    totalCostUsd: costOfSpend(own, prices),
    subagentCostUsd: costOfSpend(of("subagent"), prices),
    rewoundCostUsd: costOfSpend(of("rewound"), prices),
    copiedCostUsd: costOfSpend(copied, prices),
  };
}

/**
 * The costs of a session as its own files tell them: a message counts as copied where its record says so, and a message that
 * several files of the session hold counts in the first.
 */
export function costsOfFiles(outline: Outline, subagents: readonly Outline[], prices?: PriceTable): SessionCosts {
  const own = placeMessages(outline, false);
  const seen = new Set(own.map(({ message }) => message.id ?? message.key));
  const others: PlacedMessage[] = [];
  for (const placed of subagents.flatMap((agent) => placeMessages(agent, true))) {
    const id = placed.message.id ?? placed.message.key;
    if (!placed.message.isCopied && !seen.has(id)) others.push(placed);
    seen.add(id);
  }
  const isCopied = ({ message }: PlacedMessage) => message.isCopied;
  return sumCosts(
    spentByPart([...own.filter((placed) => !isCopied(placed)), ...others]),
    spentByPart(own.filter(isCopied)),
    prices,
  );
}
