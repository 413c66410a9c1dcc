import { once } from "../lazy.js";
import type { Clean } from "../redact/create-redactor.js";
import type { SessionHeader } from "../session/describe-session.js";
import type { Node } from "../session/graph/node.js";
import { costOfSpend, type PriceTable } from "../session/messages/cost.js";
import type { Outline, Totals } from "../session/outline.js";
import { findPreservedRecords } from "../session/replay/select-replay.js";
import type { Preamble, Turn } from "../session/turns/build-turn.js";
import type { Compaction } from "../session/turns/compactions.js";
import { type CompactionFacts, type TurnItem, viewTurnItems } from "./turn-items.js";

export interface ShowingOptions {
  /** Everything that is shown passes it: a redactor's `json`, say. */
  readonly clean: Clean;
  readonly range?: TurnRange;
  readonly prices?: PriceTable | undefined;
  /** The rewound branches to be shown, by their last record. */
  readonly deadLeaves?: readonly string[];
}

/** Turns by number, both ends included. */
export interface TurnRange {
  readonly from: number;
  readonly to: number;
}

export const ALL_TURNS: TurnRange = { from: 1, to: Number.POSITIVE_INFINITY };

/** A session as every surface shows it, read when it is asked for. */
export function showSession(session: ReadableSession, options: ShowingOptions): ShownSession {
  const agents = once(() =>
    session.subagents().map((subagent): Agent => {
      const { path: _path, ...facts } = options.clean(subagent, "sub-agents");
      return { facts, open: () => session.subagentSession(subagent) };
    }),
  );
  return showOne(session, options, () => toShownSubagents(agents(), options));
}

interface Agent {
  readonly facts: Omit<ShownSubagent, "open">;
  open(): ReadableSession;
}

/** None is shown inside itself, whatever the records say. */
function toShownSubagents(agents: readonly Agent[], options: ShowingOptions): ShownSubagent[] {
  return agents.map((agent) => ({
    ...agent.facts,
    open: () =>
      showOne(agent.open(), { ...options, range: ALL_TURNS, deadLeaves: [] }, () =>
        toShownSubagents(
          agents.filter((other) => other !== agent),
          options,
        ),
      ),
  }));
}

function showOne(session: ReadableSession, options: ShowingOptions, listAgents: () => ShownSubagent[]): ShownSession {
  const { clean, range = ALL_TURNS } = options;
  const { outline } = session;
  const show = turnShower(session, options);
  const subagents = once(listAgents);
  return {
    header: clean(session.header, "session"),
    totals: outline.totals,
    preamble: () => (range.from === 1 ? show.preamble() : []),
    turns: () => show.turns(session.turns(range.from, range.to)),
    subagents,
    launchedBy: (toolUseId) => subagents().filter((subagent) => subagent.toolUseId === toolUseId),
    rewound: () => rewoundBranches(session, options),
  };
}

function* rewoundBranches(session: ReadableSession, options: ShowingOptions): Generator<RewoundBranch> {
  const ownTurns = branchOnlyTurns(session);
  for (const leaf of options.deadLeaves ?? []) {
    const branch = session.branch(leaf);
    const show = turnShower(branch, options);
    yield { leaf: branch.outline.activeLeaf ?? "", turns: () => show.turns(ownTurns(branch)) };
  }
}

interface TurnShower {
  preamble(): ReturnType<typeof viewTurnItems>;
  turns(turns: Iterable<Turn>): Generator<ShownTurn>;
}

function turnShower(session: ReadableSession, { clean, prices }: ShowingOptions): TurnShower {
  const { outline } = session;
  const kept = findPreservedRecords(outline);
  let compactions: Compaction[] | undefined;
  const cutsIn = (nodes: readonly Node[]): CompactionFacts => {
    compactions ??= clean(session.compactions(), "compaction");
    return { compactions: compactionsIn(nodes, compactions), kept };
  };
  return {
    preamble: () => viewTurnItems(clean(session.preamble(), "preamble"), cutsIn(outline.preamble.nodes)),
    *turns(turns) {
      for (const built of turns) {
        const turn = clean(built, "turn");
        yield {
          turn,
          items: viewTurnItems(turn, cutsIn(outline.turns[turn.index - 1]?.nodes ?? [])),
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

/** A compaction belongs where its first record stands. */
export function compactionsIn(nodes: readonly Node[], compactions: readonly Compaction[]): Compaction[] {
  const lines = new Set(nodes.map(({ line }) => line));
  return compactions.filter(({ line }) => lines.has(line));
}

/** Of any branch the turns that say something which this one does not, a turn that goes on differently among them. */
export function branchOnlyTurns({ outline }: ReadableSession): (branch: ReadableSession) => Generator<Turn> {
  const shared = new Set([outline.preamble, ...outline.turns].flatMap(({ nodes }) => nodes.map(({ line }) => line)));
  return function* (branch) {
    for (const { index, nodes } of branch.outline.turns) {
      const turn = nodes.some((node) => isSpoken(node) && !shared.has(node.line)) ? branch.turn(index) : undefined;
      if (turn) yield turn;
    }
  };
}

function isSpoken({ kind }: Node): boolean {
  return kind === "user" || kind === "assistant";
}

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
