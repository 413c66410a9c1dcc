import type { ForkPoint } from "../../edit/plans/clone-and-fork.js";
import {
  type PruneOptions,
  type PrunePick,
  type PrunePicks,
  type PrunePreset,
  picksRemoval,
  prunePreset,
} from "../../edit/prune/prune-presets.js";
import { UserError } from "../../errors.js";
import type { CallAction } from "../../format/writer/trim-record.js";
import { parseMoment } from "../../library/load/session-summary.js";
import { parseBytes } from "../filter-options.js";

/** The options of `prune` as text. */
export interface PruneFlags {
  readonly preset?: PrunePreset | "none";
  readonly tools?: CallAction;
  readonly keepLast?: string;
  readonly keepTokens?: string;
  readonly olderThan?: string;
  readonly tool?: readonly string[];
  readonly largerThan?: string;
  readonly thinking?: "remove" | "all";
  readonly images?: true;
  readonly progress?: true;
  readonly attachments?: true;
  readonly snapshots?: true;
  readonly sidechains?: true;
  readonly duplicates?: true;
  readonly toTokens?: string;
  /** Ids of calls. */
  readonly keepCall?: readonly string[];
  readonly stubCall?: readonly string[];
  readonly removeCall?: readonly string[];
  /** Numbers of turns. */
  readonly keepTurn?: readonly string[];
  readonly stubTurn?: readonly string[];
  readonly removeTurn?: readonly string[];
}

/** Options override the preset. Without any option that removes something, the preset is `normal`. */
export function toPruneOptions(flags: PruneFlags): PruneOptions {
  const { preset, keepLast, keepTokens, olderThan, largerThan, toTokens, thinking } = flags;
  const asked: PruneOptions = {
    tools: flags.tools,
    keepLast: keepLast === undefined ? undefined : parseNumber(keepLast, "--keep-last", "10"),
    keepTokens: keepTokens === undefined ? undefined : parseNumber(keepTokens, "--keep-tokens", "20k"),
    before: olderThan === undefined ? undefined : parseMoment(olderThan),
    toolNames: flags.tool,
    largerThan: largerThan === undefined ? undefined : parseBytes(largerThan, "--larger-than"),
    thinking: thinking === "remove" ? "finished" : thinking,
    images: flags.images,
    progress: flags.progress,
    attachments: flags.attachments,
    snapshots: flags.snapshots,
    sidechains: flags.sidechains,
    duplicates: flags.duplicates,
    toTokens: toTokens === undefined ? undefined : parseNumber(toTokens, "--to-tokens", "80k"),
    picks: toPicks(flags),
  };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const removes =
    preset === "none" ||
    (asked.picks && picksRemoval(asked.picks)) ||
    REMOVING.some((name) => asked[name] !== undefined);
  const chosen = preset ?? (removes ? "none" : "normal");
  const { keepTokens: ofPreset, ...rest }: PruneOptions = chosen === "none" ? {} : prunePreset(chosen);
  return { ...rest, ...(keepLast === undefined ? { keepTokens: ofPreset } : {}), ...given };
}

/** Options that remove something; the others only narrow it down. */
const REMOVING = [
  "tools",
  "thinking",
  "images",
  "progress",
  "attachments",
  "snapshots",
  "sidechains",
  "duplicates",
  "toTokens",
] as const satisfies readonly (keyof PruneOptions)[];

/** Undefined where nothing is picked. */
function toPicks(flags: PruneFlags): PrunePicks | undefined {
  const { keepCall = [], stubCall = [], removeCall = [], keepTurn = [], stubTurn = [], removeTurn = [] } = flags;
  const calls = { keep: keepCall, stub: stubCall, remove: removeCall };
  const turns = { keep: keepTurn.map(parseTurn), stub: stubTurn.map(parseTurn), remove: removeTurn.map(parseTurn) };
  const picks = { calls: pickEach("call", calls), turns: pickEach("turn", turns) };
  return picks.calls.size + picks.turns.size === 0 ? undefined : picks;
}

function pickEach<Name extends string | number>(
  what: string,
  { keep, stub, remove }: Readonly<Record<PrunePick, readonly Name[]>>,
): Map<Name, PrunePick> {
  const picks = new Map<Name, PrunePick>();
  const add = (names: readonly Name[], pick: PrunePick) => {
    for (const name of names) {
      const known = picks.get(name) ?? pick;
      if (known !== pick)
        throw new UserError("usage", `${what} ${name} is picked twice: ${known} and ${pick}`, "choose one");
      picks.set(name, pick);
    }
  };
  add(keep, "keep");
  add(stub, "stub");
  add(remove, "remove");
  return picks;
}

function parseTurn(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UserError("usage", `not a turn: ${text}`, "for example --keep-turn 3");
}

/** A number such as `20k`. */
export function parseNumber(text: string, option: string, example: string): number {
  const match = /^(\d{1,9})(k?)$/i.exec(text.trim());
  if (match) return Number(match[1]) * (match[2] ? 1000 : 1);
  throw new UserError("usage", `${option} must be a number, not "${text}"`, `for example ${option} ${example}`);
}

/** The options of `fork` as text. */
export interface ForkFlags {
  readonly at?: string | undefined;
  readonly from?: string | undefined;
  readonly branch?: string | undefined;
}

/** Up to six digits are a turn; a uuid prefix is longer or has letters. */
const TURN = /^\d{1,6}$/;

export function toForkPoint({ at, from, branch }: ForkFlags): ForkPoint {
  if (branch !== undefined) return { branch };
  if (at !== undefined) return { at: TURN.test(at) ? Number(at) : at };
  if (from !== undefined && TURN.test(from)) return { from: Number(from) };
  const message = from === undefined ? "no fork point given" : `not a turn: ${from}`;
  throw new UserError("usage", message, "for example --at 7, --from 12 or --branch 5f0c");
}
