import { listAt } from "../collections.js";
import { once } from "../lazy.js";
import type { Clean } from "../redact/create-redactor.js";
import type { SessionHeader } from "../session/describe-session.js";
import type { Node } from "../session/graph/node.js";
import { costOfSpend, type PriceTable } from "../session/messages/cost.js";
import type { Outline } from "../session/open-session.js";
import { findPreservedRecords } from "../session/replay/select-replay.js";
import { type SessionCosts, type SessionTotals, toSessionTotals } from "../session/session-spend.js";
import type { Totals } from "../session/totals.js";
import type { Preamble, Turn } from "../session/turns/build-turn.js";
import type { Compaction } from "../session/turns/compactions.js";
import { turnAt } from "../session/turns/outline-turns.js";
import { type CompactionFacts, type TurnItem, viewTurnItems } from "./turn-items.js";

export interface ShowingOptions {
  /** Called on everything before it is shown, for example a redactor's `json`. */
  readonly clean: Clean;
  readonly range?: TurnRange;
  readonly prices?: PriceTable | undefined;
  /** Rewound branches to show, by the uuid of their last record. */
  readonly deadLeaves?: readonly string[];
}

/** Turns by number, both ends included. */
export interface TurnRange {
  readonly from: number;
  readonly to: number;
}

export const ALL_TURNS: TurnRange = { from: 1, to: Number.POSITIVE_INFINITY };

/** The session that all surfaces paint. Turns are read only when they are iterated. */
export function showSession(session: ReadableSession, options: ShowingOptions): ShownSession {
  const agents = once(() => {
    const all = session.subagents().map((subagent): Agent => {
      const { path: _path, ...facts } = options.clean(subagent, "sub-agents");
      return { facts, open: () => session.subagentSession(subagent) };
    });
    const byCall = new Map<string | null, Agent[]>();
    for (const agent of all) listAt(byCall, agent.facts.toolUseId).push(agent);
    return { all, byCall };
  });
  return showOne(session, options, { agents, around: [] });
}

interface Agent {
  readonly facts: Omit<ShownSubagent, "open">;
  open(): ReadableSession;
}

/** All sub-agents of a session, for those who look from inside of some of them. */
interface AgentsSeen {
  readonly agents: () => {
    readonly all: readonly Agent[];
    readonly byCall: ReadonlyMap<string | null, readonly Agent[]>;
  };
  readonly around: readonly Agent[];
}

/** A sub-agent is never listed inside itself, even if the records claim so. */
function toShownSubagents(agents: readonly Agent[], options: ShowingOptions, seen: AgentsSeen): ShownSubagent[] {
  const others = agents.filter((agent) => !seen.around.includes(agent));
  return others.map((agent) => ({
    ...agent.facts,
    open: () =>
      showOne(
        agent.open(),
        { ...options, range: ALL_TURNS, deadLeaves: [] },
        { ...seen, around: [...seen.around, agent] },
      ),
  }));
}

function showOne(session: ReadableSession, options: ShowingOptions, seen: AgentsSeen): ShownSession {
  const { clean, range = ALL_TURNS } = options;
  const { outline } = session;
  const show = createTurnShower(session, options);
  const totals = once(() => toSessionTotals(outline.totals, session.costs())); // reads the files of sub-agents
  return {
    header: clean(session.header, "session"),
    get totals() {
      return totals();
    },
    preamble: () => (range.from === 1 ? show.preamble() : []),
    turns: () => show.turns(session.turns(range.from, range.to)),
    context: () => showContext(session.forkContext(), options),
    subagents: once(() => toShownSubagents(seen.agents().all, options, seen)),
    launchedBy: (toolUseId) => toShownSubagents(seen.agents().byCall.get(toolUseId) ?? [], options, seen),
    rewound: () => rewoundBranches(session, options),
  };
}

function showContext(context: ReadableContext | null, options: ShowingOptions): ShownContext | null {
  if (!context) return null;
  const { sessionId, uuid, records, problem } = context;
  return {
    ...options.clean({ sessionId, uuid, records, problem }, "sub-agents"),
    *turns() {
      for (const { session, turns } of context.parts) yield* createTurnShower(session, options).turns(turns());
    },
  };
}

function* rewoundBranches(session: ReadableSession, options: ShowingOptions): Generator<RewoundBranch> {
  const ownTurns = branchOnlyTurns(session);
  for (const leaf of options.deadLeaves ?? []) {
    const branch = session.branchEnd(leaf);
    const show = createTurnShower(branch, options);
    yield { leaf: branch.outline.activeLeaf ?? "", turns: () => show.turns(ownTurns(branch)) };
  }
}

interface TurnShower {
  preamble(): ReturnType<typeof viewTurnItems>;
  turns(turns: Iterable<Turn>): Generator<ShownTurn>;
}

function createTurnShower(session: ReadableSession, { clean, prices }: ShowingOptions): TurnShower {
  const { outline } = session;
  const kept = findPreservedRecords(outline);
  const compactions = once(() => compactionsByTurn(clean(session.compactions(), "compaction")));
  const compactionFacts = (nodes: readonly Node[]): CompactionFacts => ({ compactions: compactions()(nodes), kept });
  return {
    preamble: () => viewTurnItems(clean(session.preamble(), "preamble"), compactionFacts(outline.preamble.nodes)),
    *turns(turns) {
      for (const built of turns) {
        const turn = clean(built, "turn");
        yield {
          turn,
          items: viewTurnItems(turn, compactionFacts(turnAt(outline, turn.index)?.nodes ?? [])),
          costUsd: costOfTurn(turn, prices),
          isPromptKept: kept.lines.has(turn.line),
        };
      }
    },
  };
}

export function costOfTurn({ messages }: Turn, prices: PriceTable | undefined): number | null {
  return costOfSpend(
    messages.filter(({ author }) => author === "model"),
    prices,
  );
}

/** Finds the compactions of a turn by its nodes: a compaction belongs to the turn that holds its first record. */
export function compactionsByTurn(compactions: readonly Compaction[]): (nodes: readonly Node[]) => Compaction[] {
  if (compactions.length === 0) return () => [];
  const places = new Map<number, number[]>(); // by line
  compactions.forEach(({ line }, at) => {
    listAt(places, line).push(at);
  });
  return (nodes) => {
    const found = new Set(nodes.flatMap(({ line }) => places.get(line) ?? []));
    return [...found].sort((a, b) => a - b).flatMap((at) => compactions[at] ?? []);
  };
}

/** Lists the turns of another branch that hold prompts or answers this session's branch does not have. */
export function branchOnlyTurns({ outline }: ReadableSession): (branch: ReadableSession) => Generator<Turn> {
  const shared = new Set([outline.preamble, ...outline.turns].flatMap(({ nodes }) => nodes.map(({ line }) => line)));
  return function* (branch) {
    for (const { index, nodes } of branch.outline.turns) {
      const turn = nodes.some((node) => isPromptOrAnswer(node) && !shared.has(node.line))
        ? branch.turn(index)
        : undefined;
      if (turn) yield turn;
    }
  };
}

function isPromptOrAnswer({ kind }: Node): boolean {
  return kind === "user" || kind === "assistant";
}

/** A session after `clean`, read turn by turn. */
export interface ShownSession {
  readonly header: ShownHeader;
  readonly totals: ShownTotals;
  /** Empty if the first turn is not in the range. */
  preamble(): readonly TurnItem[];
  turns(): Iterable<ShownTurn>;
  /** The conversation that a forked sub-agent began with; null for any other session or sub-agent. */
  context(): ShownContext | null;
  /** All sub-agents of the session, including nested ones. */
  subagents(): readonly ShownSubagent[];
  /** The sub-agents that a tool call launched. */
  launchedBy(toolUseId: string): readonly ShownSubagent[];
  rewound(): Iterable<RewoundBranch>;
}

export type ShownTotals = SessionTotals;

/** The session's own header, the user's tags and notes, and where turnlog found the session. */
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
  /** A compaction left the prompt in the context verbatim. */
  readonly isPromptKept: boolean;
}

export interface ShownSubagent {
  readonly agentId: string;
  readonly toolUseId: string | null;
  readonly type: string | null;
  readonly description: string | null;
  readonly warmup: boolean;
  readonly isFork: boolean;
  readonly workflow: { readonly phase: string | null } | null;
  readonly totals: Totals;
  open(): ShownSession;
}

export interface ShownContext extends ContextFacts {
  turns(): Iterable<ShownTurn>;
}

interface ContextFacts {
  readonly sessionId: string | null;
  readonly uuid: string | null;
  readonly records: number;
  /** Why it is empty. */
  readonly problem: string | null;
}

export interface RewoundBranch {
  readonly leaf: string;
  turns(): Iterable<ShownTurn>;
}

/** The parts of a loaded session that showSession needs. */
export interface ReadableSession {
  readonly header: ShownHeader;
  readonly outline: Outline;
  preamble(): Preamble;
  turn(index: number): Turn | undefined; // 1-based
  turns(from?: number, to?: number): Iterable<Turn>;
  compactions(): Compaction[];
  subagents(): readonly ReadableSubagent[];
  costs(): SessionCosts;
  subagentSession(subagent: ReadableSubagent): ReadableSession;
  forkContext(): ReadableContext | null;
  /** The branch that ends at a record, from the turn on in which it leaves the one of this session. */
  branchEnd(leaf: string): ReadableSession;
}

interface ReadableContext extends ContextFacts {
  readonly parts: readonly { readonly session: ReadableSession; turns(): Iterable<Turn> }[];
}

export interface ReadableSubagent extends Omit<ShownSubagent, "open"> {
  readonly path: string;
}
