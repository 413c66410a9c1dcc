import { formatCost, formatTime, formatTokens, totalTokens } from "../../render/format-values.js";
import type { StatsAnswer } from "../../server/api/stats.js";

import { listPath } from "../list/list-filter.js";

const MOST_BLOCKS = 10;

/** The windows of five hours in which the provider counts; the latest first. */
export function Blocks({ blocks }: { readonly blocks: StatsAnswer["blocks"] }) {
  const used = blocks
    .filter((block) => block.kind === "used")
    .toReversed()
    .slice(0, MOST_BLOCKS);
  if (used.length === 0) return null;
  return (
    <figure class="plot">
      <figcaption>Five-hour blocks</figcaption>
      <table class="blocks">
        <thead>
          <tr>
            <th>from</th>
            <th>tokens</th>
            <th>cost</th>
          </tr>
        </thead>
        <tbody>
          {used.map(({ startAt, endAt, usage, costUsd, isActive, projection }) => (
            <tr key={startAt}>
              <td>
                <a href={listPath({ since: startAt, until: endAt })}>{formatTime(startAt)}</a>
                {isActive ? " (now)" : ""}
              </td>
              <td>{formatTokens(totalTokens(usage))}</td>
              <td>
                {formatCost(costUsd)}
                {projection?.costUsd == null ? "" : `, at this rate ${formatCost(projection.costUsd)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
