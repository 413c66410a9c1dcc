import { formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { paintPlainTable } from "../../render/terminal/lists/list-table.js";
import type { Style } from "../../render/terminal/style.js";
import type { DriftView } from "../../session/facts/drift.js";
import type { Problem } from "../../session/verify/problem-log.js";
import type { VerifyReport } from "../../session/verify/verify-session.js";

export function paintVerifyReport({ problems, unlisted }: VerifyReport, style: Style): string {
  const lines = problems.map((problem) => paintProblem(problem, style));
  const more = unlisted.map(({ code, count }) => style.dim(`and ${count} more of ${code}`));
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.filter(({ severity }) => severity === "warning").length;
  const verdict = `${formatCount(errors, "error")}, ${formatCount(warnings, "warning")}`;
  return `${[...lines, ...more, errors > 0 ? style.red(verdict) : style.green(verdict)].join("\n")}\n`;
}

function paintProblem({ line, code, severity, message, fix, versions }: Problem, style: Style): string {
  const paint = { error: style.red, warning: style.yellow, info: style.dim }[severity];
  const place = line === 0 ? "file" : `line ${line}`;
  const remedy = fix === null ? "" : style.dim(`\n    ${neutralize(fix)}`);
  const names = versions.map((version) => (version === "sdk" ? "Agent SDK" : version));
  const affected = names.length === 0 ? "" : style.dim(`\n    affects: ${names.join(", ")}`);
  return `${paint(severity)} ${place}: ${neutralize(message)} ${style.dim(`[${code}]`)}${affected}${remedy}`;
}

export function paintDrift({ drifts, unlisted }: DriftView, files: number): string {
  if (drifts.length === 0) return `nothing unknown in ${formatCount(files, "file")}\n`;
  const rows = drifts
    .toSorted((a, b) => b.count - a.count)
    .map(({ kind, within, name, count, firstVersion }) => [
      String(count),
      kind,
      neutralize(within === "" ? name : `${within}: ${name}`),
      firstVersion === null ? "" : `since ${neutralize(firstVersion)}`,
    ]);
  const more = unlisted > 0 ? `and ${unlisted} more occurrences of other names\n` : "";
  return `${paintPlainTable([["count", "what", "name", "Claude Code"], ...rows])}\n${more}`;
}
