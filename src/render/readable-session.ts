import type { Preamble, Turn } from "../session/build-turn.js";
import type { Compaction } from "../session/compactions.js";
import type { Outline } from "../session/outline.js";
import type { ShownHeader, ShownSubagent } from "./shown-session.js";

/** What surfaces need of a session, wherever it was read from. */
export interface ReadableSession {
  readonly header: ShownHeader;
  readonly outline: Outline;
  preamble(): Preamble;
  turn(index: number): Turn | undefined; // 1-based
  turns(from?: number, to?: number): Iterable<Turn>;
  compactions(): Compaction[];
  subagents(): readonly ReadableSubagent[];
  subagentSession(subagent: ReadableSubagent): ReadableSession;
  /** The same session along the branch that ends at a record. */
  branch(leaf: string): ReadableSession;
}

export interface ReadableSubagent extends Omit<ShownSubagent, "open"> {
  readonly path: string;
}
