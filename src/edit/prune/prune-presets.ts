import type { CallAction } from "../../format/writer/trim-record.js";

/** What `planPrune` removes; without any of these, nothing. */
export interface PruneOptions {
  readonly tools?: CallAction | undefined;
  /** How many of the last turns that have tools keep them, and their images; default 20. */
  readonly keepLast?: number | undefined;
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
}

export const DEFAULT_KEEP_LAST = 20;

const light: PruneOptions = { progress: true, attachments: true, duplicates: true };
const normal: PruneOptions = { ...light, tools: "stub", keepLast: DEFAULT_KEEP_LAST, thinking: "finished" };
const heavy: PruneOptions = { ...normal, tools: "truncate", keepLast: 10 };
const extreme: PruneOptions = { ...light, tools: "remove", keepLast: 0, thinking: "all" };

export const PRUNE_PRESETS = { light, normal, heavy, extreme } as const;

export type PrunePreset = keyof typeof PRUNE_PRESETS;

/** From what is hardly missed (`light`) to words alone (`extreme`). */
export function prunePreset(name: PrunePreset): PruneOptions {
  return PRUNE_PRESETS[name];
}
