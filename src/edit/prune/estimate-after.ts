import type { Node } from "../../session/node.js";
import { selectReplay } from "../../session/select-replay.js";
import type { EditSource } from "../edit-source.js";
import { tokenEstimator } from "../estimate-tokens.js";
import type { PruneOutcome } from "./work-out-prune.js";

/** Estimates what a client would send after pruning. */
export function estimateAfter({ outline, recordOf }: EditSource): (outcome: PruneOutcome) => number {
  const bytesOf = (node: Node) => recordOf(node)?.contextBytes ?? 0;
  const { estimate } = tokenEstimator(outline, bytesOf);
  const { nodes } = selectReplay(outline);
  return ({ removed, bytes }) => {
    const left = nodes.filter((node) => {
      const record = recordOf(node);
      return record !== undefined && !removed.has(record);
    });
    return estimate(left, (node) => {
      const record = recordOf(node);
      return (record && bytes.get(record)) ?? bytesOf(node);
    });
  };
}
