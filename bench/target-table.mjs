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

/** A figure against its limit. @param {string} what @param {number} figure @param {number} limit @param {string} unit @param {string} [more] What else was measured. @returns {TargetRow} */
export function limitRow(what, figure, limit, unit, more) {
  return {
    what,
    target: `<= ${limit} ${unit}`,
    measured: `${figure < 10 ? figure.toFixed(2) : figure.toFixed(0)} ${unit}${more === undefined ? "" : ` (${more})`}`,
    ratio: `${(figure / limit).toFixed(2)} x`,
    reached: figure <= limit,
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

/** What could not be measured. @param {string} what @param {unknown} error @returns {TargetRow} */
export function failedRow(what, error) {
  const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
  return { what, target: "", measured: `failed: ${reason}`, ratio: "", reached: false };
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
