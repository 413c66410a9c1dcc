import type { ShownSession, ShownTurn } from "../shown-session.js";

export interface MarkdownOptions {
  readonly tools: "full" | "brief" | "none";
  readonly thinking: boolean;
  /** How many levels of sub-agents are told. */
  readonly depth: number;
  /** All turns are told, and so all sub-agents. */
  readonly isWhole: boolean;
}

/** Where in the telling of a session we are. */
export interface Telling {
  /** The session whose turns are told: itself, or a sub-agent's. */
  readonly session: ShownSession;
  readonly options: MarkdownOptions;
  readonly depth: number; // levels of sub-agents that are left
  readonly told: Set<string>; // sub-agents
  /** Turns hold calls, calls sub-agents, and those turns again. */
  turnBody(shown: ShownTurn, telling: Telling): Iterable<string>;
}
