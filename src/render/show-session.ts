import type { Clean } from "../redact/clean.js";
import type { Turn } from "../session/build-turn.js";
import type { Compaction } from "../session/compactions.js";
import type { PriceTable } from "../session/cost.js";
import { findKeptRecords } from "../session/kept-records.js";
import type { Node } from "../session/node.js";
import { once } from "../session/once.js";
import { costOfSpend } from "../session/spent-by-model.js";
import { turnsBeside } from "./own-turns.js";
import type { ReadableSession } from "./readable-session.js";
import type { RewoundBranch, ShownSession, ShownSubagent, ShownTurn } from "./shown-session.js";
import { type Cuts, viewTurnItems } from "./turn-items.js";

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
  const ownTurns = turnsBeside(session);
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
  const kept = findKeptRecords(outline);
  let compactions: Compaction[] | undefined;
  const cutsIn = (nodes: readonly Node[]): Cuts => {
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
