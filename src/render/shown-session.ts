import type { Turn } from "../session/build-turn.js";
import type { SessionHeader } from "../session/describe-session.js";
import type { Totals } from "../session/outline.js";
import type { TurnItem } from "./turn-items.js";

/** A session as surfaces show it: cleaned of what must not be seen, and read turn by turn. */
export interface ShownSession {
  readonly header: ShownHeader;
  readonly totals: Totals;
  /** Nothing where the first turn is not asked for. */
  preamble(): readonly TurnItem[];
  turns(): Iterable<ShownTurn>;
  /** All of the session's, nested ones among them. */
  subagents(): readonly ShownSubagent[];
  /** The sub-agents that a tool call launched. */
  launchedBy(toolUseId: string): readonly ShownSubagent[];
  rewound(): Iterable<RewoundBranch>;
}

/** What a session is called, what a person added to it, and where turnlog found it. */
export interface ShownHeader extends SessionHeader {
  readonly tags: readonly string[];
  readonly favourite: boolean;
  readonly note: string | null;
  readonly source: string | null;
  readonly archived: boolean;
}

export interface ShownTurn {
  readonly turn: Turn;
  readonly items: readonly TurnItem[];
  readonly costUsd: number | null;
  /** A compaction left the prompt in the context word by word. */
  readonly isPromptKept: boolean;
}

export interface ShownSubagent {
  readonly agentId: string;
  readonly toolUseId: string | null;
  readonly type: string | null;
  readonly description: string | null;
  readonly warmup: boolean;
  readonly totals: Totals;
  open(): ShownSession;
}

export interface RewoundBranch {
  readonly leaf: string;
  turns(): Iterable<ShownTurn>;
}
