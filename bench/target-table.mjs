/**
 * @typedef {{ what: string, target: string, measured: string, ratio: string, reached: boolean }} TargetRow
 * @typedef {import("./measure.mjs").Measured} Measured
 */

/** Wall time against a competitor's. @param {string} what @param {number} limit @param {Measured} ours @param {Measured} theirs @returns {TargetRow} */
export function ratioRow(what, limit, ours, theirs) {
  const ratio = ours.wallMs / theirs.wallMs;
  return {
    what,
    target: `<= ${limit} x`,
    measured: `${toSeconds(ours.wallMs)} against ${toSeconds(theirs.wallMs)}`,
    ratio: `${ratio.toFixed(2)} x (CPU ${(ours.cpuMs / theirs.cpuMs).toFixed(2)} x)`,
    reached: ratio <= limit,
  };
}

/** Peak memory against a limit. A command that failed reached nothing. @param {string} what @param {number} limitMb @param {Measured} ours @returns {TargetRow} */
export function memoryRow(what, limitMb, ours) {
  const failed = ours.exitCode !== 0;
  return {
    what,
    target: `RSS <= ${limitMb} MB`,
    measured: failed ? `failed with exit code ${ours.exitCode}` : `${Math.round(ours.peakRssMb)} MB`,
    ratio: failed ? "" : `${(ours.peakRssMb / limitMb).toFixed(2)} x`,
    reached: !failed && ours.peakRssMb <= limitMb,
  };
}

/** @param {readonly TargetRow[]} rows */
export function toMarkdown(rows) {
  const cells = rows.map(({ what, target, measured, ratio, reached }) => [
    what,
    target,
    measured,
    ratio,
    reached ? "yes" : "no",
  ]);
  const head = ["what", "target", "measured", "ratio", "reached"];
  return [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** @param {number} ms */
function toSeconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}
