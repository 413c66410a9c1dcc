import { type DiffSide, type DiffTurn, diffSessionsInSteps, type TurnPair } from "../../edit/diff/diff-sessions.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { sumUsage } from "../../session/messages/usage.js";
import { countPreserved } from "../../session/replay/select-replay.js";
import type { CompareAnswer, ComparedPair, CompareSide, PairedTurn } from "../api/compare.js";
import { inPieces } from "../http/send-answer.js";
import type { CachedSession } from "../library/session-cache.js";
import { commandLine } from "./command-line.js";
import { turnSpend } from "./outline.js";
import { cutTexts } from "./turns.js";

/** One side: a session, or a branch of it. */
export interface ComparedSide extends Pick<CachedSession, "clean"> {
  readonly session: LoadedSession;
  readonly branch: string | undefined;
}

const TEXT_CHARACTERS = 20_000;

export async function viewCompare(
  a: ComparedSide,
  b: ComparedSide,
  prices: PriceTable | undefined,
): Promise<CompareAnswer> {
  return inPieces(viewingCompare(a, b, prices));
}

function* viewingCompare(
  a: ComparedSide,
  b: ComparedSide,
  prices: PriceTable | undefined,
): Generator<void, CompareAnswer> {
  const diff = yield* diffSessionsInSteps(toCompared(a), toCompared(b));
  const spend = [yield* spendOf(a, prices), yield* spendOf(b, prices)] as const;
  const turns = diff.turns.map((pair) => toPair(pair, spend));
  const sides = [
    viewSide(
      a,
      spend[0],
      turns.map((pair) => pair.a),
      diff.a,
    ),
    viewSide(
      b,
      spend[1],
      turns.map((pair) => pair.b),
      diff.b,
    ),
  ] as const;
  const shown: ComparedPair[] = [];
  let isCut = false;
  for (const turn of turns) {
    const cut = cutTexts(a.clean(turn, "diff"), TEXT_CHARACTERS);
    shown.push(cut.value);
    isCut ||= cut.isCut;
    yield;
  }
  return { a: sides[0], b: sides[1], turns: shown, isCut, command: commandFor(a, b) };
}

function toCompared({ session }: ComparedSide): Parameters<typeof diffSessionsInSteps>[0] {
  const { id, title } = session.header;
  return { id, title, turns: session.turns(), preserved: countPreserved(session.outline) };
}

type Spend = ReadonlyMap<number, ReturnType<typeof turnSpend>>;

function* spendOf({ session: { outline } }: ComparedSide, prices: PriceTable | undefined): Generator<void, Spend> {
  const spend = new Map<number, ReturnType<typeof turnSpend>>();
  for (const { index, nodes } of outline.turns) {
    spend.set(index, turnSpend(nodes, outline, prices));
    yield;
  }
  return spend;
}

function toPair({ kind, a, b, differs }: TurnPair, [spendA, spendB]: readonly [Spend, Spend]): ComparedPair {
  const isSame = kind === "same";
  return { kind, differs, a: toPaired(a, spendA, isSame), b: toPaired(b, spendB, isSame) };
}

function toPaired(turn: DiffTurn | null, spend: Spend, isSame: boolean): PairedTurn | null {
  if (!turn) return null;
  const { uuid: _uuid, ...rest } = turn;
  const costUsd = spend.get(turn.index)?.costUsd ?? null;
  return isSame ? { ...rest, answer: "", tools: [], costUsd } : { ...rest, costUsd };
}

function viewSide(
  { session, branch, clean }: ComparedSide,
  spend: Spend,
  paired: readonly (PairedTurn | null)[],
  { missingPreserved }: DiffSide,
): CompareSide {
  const { header, outline } = session;
  const costs = [...spend.values()].map(({ costUsd }) => costUsd);
  const side: CompareSide = {
    id: header.id,
    title: header.title,
    project: header.project,
    branch: branch ?? null,
    models: outline.models,
    startedAt: header.startedAt,
    turns: outline.turns.length,
    toolCalls: outline.totals.toolCalls,
    toolErrors: outline.totals.toolErrors,
    failedToolCalls: outline.totals.failedToolCalls,
    deniedToolCalls: outline.totals.deniedToolCalls,
    interruptedToolCalls: outline.totals.interruptedToolCalls,
    apiErrors: outline.totals.apiErrors,
    files: [...new Set(paired.flatMap((turn) => turn?.files ?? []))].sort(),
    usage: sumUsage([...spend.values()].map(({ usage }) => usage)),
    costUsd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    missingPreserved,
  };
  return clean(side, "session");
}

/** `turnlog diff` takes a branch for the second session only. */
function commandFor(a: ComparedSide, b: ComparedSide): string | null {
  if (a.branch !== undefined) return null;
  const [first, second] = [a.session.header.id, b.session.header.id];
  const names = first === second && b.branch !== undefined ? [first] : [first, second];
  return commandLine("diff", names, b.branch === undefined ? {} : { branch: b.branch });
}
