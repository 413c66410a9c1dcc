import type { ForkPoint } from "../../edit/plans/clone-and-fork.js";
import { type PruneOptions, type PrunePreset, prunePreset } from "../../edit/prune/prune-presets.js";
import { UserError } from "../../errors.js";
import type { CallAction } from "../../format/writer/trim-record.js";
import { parseMoment } from "../../library/load/session-summary.js";
import { parseBytes } from "../filter-options.js";

/** The options of `prune` as text. */
export interface PruneFlags {
  readonly preset?: PrunePreset;
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
  };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const removes = REMOVING.some((name) => asked[name] !== undefined);
  const { keepTokens: ofPreset, ...rest } = preset ? prunePreset(preset) : removes ? {} : prunePreset("normal");
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
