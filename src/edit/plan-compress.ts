import { chooseTurns } from "./compress/choose-turns.js";
import type { CompressOptions } from "./compress/compress-options.js";
import { condensePerTurn } from "./compress/condense-per-turn.js";
import { startAtSummary } from "./compress/start-at-summary.js";
import type { EditOptions, EditPlan } from "./edit-plan.js";
import type { EditSource } from "./edit-source.js";
import { lowerCounts } from "./lower-counts.js";

/** The session with its older turns in short: as one summary at which clients start, or turn by turn. */
export function planCompress(source: EditSource, compress: CompressOptions, options: EditOptions): EditPlan {
  const chosen = chooseTurns(source, compress);
  const plan = compress.perTurn
    ? condensePerTurn(source, chosen, compress, options)
    : startAtSummary(source, chosen, compress, options);
  return lowerCounts(plan);
}
