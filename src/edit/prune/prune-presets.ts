import type { CallAction } from "../../format/writer/trim-record.js";

/** What `planPrune` removes; without any of these, nothing. */
export interface PruneOptions {
  readonly tools?: CallAction | undefined;
  /** So many of the last turns that have tools keep them, and their images. */
  readonly keepLast?: number | undefined;
  /** The last calls and images keep theirs, up to about so many tokens in all, of 4 bytes each. */
  readonly keepTokens?: number | undefined;
  /** Only what belongs to turns that started before this time (ms since the epoch). */
  readonly before?: number | undefined;
  /** Only calls of these tools. */
  readonly toolNames?: readonly string[] | undefined;
  /** Only calls that take more bytes of the context, with their result. */
  readonly largerThan?: number | undefined;
  /** `finished`: of all turns but the last. */
  readonly thinking?: "finished" | "all" | undefined;
  readonly images?: boolean | undefined;
  readonly progress?: boolean | undefined;
  readonly attachments?: boolean | undefined;
  readonly snapshots?: boolean | undefined;
  readonly sidechains?: boolean | undefined;
  /** The results of reads of a file that was read again later. */
  readonly duplicates?: boolean | undefined;
  /** As much more as is needed to come down to this estimate, the least useful first. */
  readonly toTokens?: number | undefined;
  /** What is chosen by hand comes before all other options. */
  readonly picks?: PrunePicks | undefined;
}

/** What becomes of a call, or of the calls of a turn. A turn that is kept keeps its thinking and images too. */
export type PrunePick = "keep" | "stub" | "remove";

/** A call's own choice comes before that of its turn. */
export interface PrunePicks {
  readonly calls: ReadonlyMap<string, PrunePick>; // by id
  readonly turns: ReadonlyMap<number, PrunePick>; // by number, from 1
}

/** Whether more goes than without picking. */
export function picksRemoval({ calls, turns }: PrunePicks): boolean {
  return [...calls.values(), ...turns.values()].some((pick) => pick !== "keep");
}

/** Where neither `keepLast` nor `keepTokens` is given. */
export const DEFAULT_KEEP_TOKENS = 20_000;

const light: PruneOptions = { progress: true, attachments: true, duplicates: true };
const normal: PruneOptions = { ...light, tools: "truncate", keepTokens: DEFAULT_KEEP_TOKENS, thinking: "finished" };
const heavy: PruneOptions = { ...normal, tools: "stub", keepTokens: 5000, images: true };
const extreme: PruneOptions = { ...heavy, tools: "remove", keepTokens: 0, thinking: "all" };

/** Each removes what the one before it removes, and more. */
export const PRUNE_PRESETS = { light, normal, heavy, extreme } as const;

export type PrunePreset = keyof typeof PRUNE_PRESETS;

/** From what is hardly missed (`light`) to words alone (`extreme`). */
export function prunePreset(name: PrunePreset): PruneOptions {
  return PRUNE_PRESETS[name];
}
