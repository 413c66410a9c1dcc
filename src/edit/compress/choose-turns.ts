import { UserError } from "../../errors.js";
import type { Node } from "../../session/graph/node.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import type { EditSource } from "../plans/edit-source.js";

/** What a session's context is made of, and what is to become of it. */
export interface ChosenTurns {
  /** What an earlier compaction left: its summary, and of the turns up to it what is still in the context. */
  readonly earlier: Node | undefined;
  readonly kept: readonly TurnOutline[];
  /** Those that a band names, and those between them, which stay in full. */
  readonly turns: readonly ChosenTurn[];
  /** The first turn that stays as it is. */
  readonly rest: TurnOutline;
}

export interface ChosenTurn {
  readonly turn: TurnOutline;
  readonly level: CompressLevel | "full";
}

/** The last turn always stays: Claude Code resumes there. */
export function chooseTurns({ outline, openTurn }: EditSource, options: CompressOptions): ChosenTurns {
  const all = outline.turns.filter((turn) => turn !== openTurn);
  const { nodes, compactionLine } = selectReplay(outline);
  const read = new Set(nodes);
  const spanning = all.find((turn) =>
    turn.nodes.some(({ line, role }) => role === "compactSummary" && line === compactionLine),
  );
  const own = spanning ? all.slice(spanning.index) : all;
  const chosen = own.map((turn, at) => ({ turn, level: levelOf(at, own.length, turn, options) }));
  const count = chosen.slice(0, -1).findLastIndex(({ level }) => level !== "full") + 1;
  const rest = own[count];
  if (count === 0 || !rest) throw nothingToShorten(own.length, options);
  return {
    earlier: nodes.find(({ role, line }) => role === "compactSummary" && line === compactionLine),
    kept: spanning ? all.slice(0, spanning.index).flatMap((turn) => restOf(turn, read) ?? []) : [],
    turns: chosen.slice(0, count),
    rest,
  };
}

function nothingToShorten(turns: number, { bands }: CompressOptions): UserError {
  const hint = `its context holds ${turns} whole turn${turns === 1 ? "" : "s"}, and the last one always stays as it is`;
  return turns < 2 || bands === undefined
    ? new UserError("not-found", "there is nothing to shorten", hint)
    : new UserError("usage", "no turn is in the parts that --band names", hint);
}

/** What the model still reads of a turn; undefined where that is neither its prompt nor an answer. */
function restOf(turn: TurnOutline, read: ReadonlySet<Node>): TurnOutline | undefined {
  const nodes = turn.nodes.filter((node) => read.has(node));
  return nodes.some((node) => node === turn.start || node.role === "answer") ? { ...turn, nodes } : undefined;
}

function levelOf(
  at: number,
  count: number,
  { index }: TurnOutline,
  { bands = DEFAULT_BANDS, untouched }: CompressOptions,
): ChosenTurn["level"] {
  const part = ((at + 1) / count) * 100;
  if (untouched?.has(index)) return "full";
  return bands.find(({ from, to }) => part > from && part <= to)?.level ?? "full";
}

/** How much is left of a turn: `light` every answer and call in short, `heavy` the last answer and what was done. */
export type CompressLevel = "light" | "heavy";

/** A part of the turns, in per cent from the first to the last. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly level: CompressLevel;
}

export interface CompressOptions {
  /** Of several that overlap the first counts; `DEFAULT_BANDS` unless said. */
  readonly bands?: readonly Band[] | undefined;
  /** Names and inputs of all tool calls stay, their results go. */
  readonly keepCalls?: boolean | undefined;
  /** Each turn is condensed in its place, instead of one summary of all. */
  readonly perTurn?: boolean | undefined;
  /** Written as a `summary` record besides. */
  readonly summaryTitle?: string | undefined;
  /** What `summarizeTurns` made of turns, by their number. */
  readonly summaries?: ReadonlyMap<number, string> | undefined;
  /** Turns that keep all they have. */
  readonly untouched?: ReadonlySet<number> | undefined;
}

const DEFAULT_BANDS: readonly Band[] = [
  { from: 0, to: 60, level: "heavy" },
  { from: 60, to: 85, level: "light" },
];
