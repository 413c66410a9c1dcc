/**
 * @typedef {{ what: string, target: string, measured: string, ratio: string, reached: boolean | undefined }} TargetRow `reached` is undefined where there is no target.
 * @typedef {import("./measure.mjs").Measured} Measured
 */

/** Wall time against a competitor's. @param {string} what @param {number} limit @param {Measured} ours @param {Measured} theirs @returns {TargetRow} */
export function ratioRow(what, limit, ours, theirs) {
  const ratio = ours.wallMs / theirs.wallMs;
  const cpu = theirs.cpuMs === 0 ? "" : ` (CPU ${(ours.cpuMs / theirs.cpuMs).toFixed(2)} x)`; // measured in steps of 10 ms
  return {
    what,
    target: `<= ${limit} x`,
    measured: `${toSeconds(ours.wallMs)} against ${toSeconds(theirs.wallMs)}`,
    ratio: `${ratio.toFixed(2)} x${cpu}`,
    reached: ratio <= limit,
  };
}

/** Wall time against one that has no target. @param {string} what @param {Measured} ours @param {Measured} theirs @returns {TargetRow} */
export function comparedRow(what, ours, theirs) {
  return { ...ratioRow(what, 0, ours, theirs), target: "", reached: undefined };
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
    reached === undefined ? "" : reached ? "yes" : "no",
  ]);
  const head = ["what", "target", "measured", "ratio", "reached"];
  return [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** @param {number} ms */
function toSeconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}

const RESULTS = /(<!-- results -->\n)([\s\S]*)(<!-- end of results -->)/;

/** Between the markers of a page every section has a heading and a table: puts in a new one and keeps the others. @param {string} page @param {readonly string[]} names In their order. @param {string} name @param {string} table */
export function replaceTable(page, names, name, table) {
  return page.replace(RESULTS, (_, start, tables, end) => {
    const parts = tables.split(/^### /m).map((/** @type {string} */ part) => [part.split("\n")[0], part.trim()]);
    const known = new Map([...parts, [name, `${name}\n${table}`]]);
    const kept = names.flatMap((it) => known.get(it) ?? []);
    return `${start}${kept.map((part) => `### ${part}\n`).join("\n")}${end}`;
  });
}
