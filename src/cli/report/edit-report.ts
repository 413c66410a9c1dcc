import { countReasons, type EditReport, toEditJson } from "../../app/edit/edit-report.js";
import type { EditPlan } from "../../edit/plans/edit-plan.js";
import { formatCount, formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { Io } from "../io.js";
import { printedJson } from "../terminal/printed-json.js";

/** The plan, printed before anything is written. */
export function describePlan({ plan, target, shownTitle }: EditReport): string {
  const { command, source, kept, removed, tokensBefore, tokensAfter, notes } = plan;
  const [gone, changed] = [countReasons(plan, "remove"), countReasons(plan, "replace")];
  const lines = [
    `${command} of ${source.id}`,
    `  removed: ${removed} of ${formatCount(removed + kept, "record")}`,
    ...[...gone].map(([reason, count]) => `    ${reason}: ${count}${tokensSaved(plan, reason)}`),
    ...(changed.size === 0 ? [] : ["  changed:"]),
    ...[...changed].map(([reason, count]) => {
      return `    ${reason}: ${count}${gone.has(reason) ? "" : tokensSaved(plan, reason)}`; // told above, for both
    }),
    ...describeAdded(plan, [...gone.keys(), ...changed.keys()]),
    ...describeProblems(plan),
    `  tokens:  about ${formatTokens(tokensBefore)} before, ${formatTokens(tokensAfter)} after (estimates)`,
    ...(shownTitle === null ? [] : [`  title:   ${shownTitle}`]),
    `  file:    ${target.path}`,
    ...notes.map((note) => `  note:    ${note}`),
  ];
  return neutralize(`${lines.join("\n")}\n`);
}

function tokensSaved({ savedTokens }: EditPlan, reason: string): string {
  const tokens = savedTokens.get(reason) ?? 0;
  if (tokens === 0) return "";
  return tokens > 0 ? ` (about ${formatTokens(tokens)} tokens)` : ` (about ${formatTokens(-tokens)} tokens more)`;
}

/** What takes tokens without a record of the source. */
function describeAdded(plan: EditPlan, told: readonly string[]): string[] {
  const rest = [...plan.savedTokens.keys()].filter((reason) => !told.includes(reason));
  const lines = rest.map((reason) => `    ${reason}${tokensSaved(plan, reason)}`);
  return lines.length === 0 ? [] : ["  added:", ...lines];
}

function describeProblems({ problems }: EditPlan): string[] {
  if (problems === undefined) return [];
  if (problems.length === 0) return ["  problems: none"];
  const kinds = problems.map(({ code, found, left }) => `    ${code}: ${found}${left > 0 ? `, ${left} left` : ""}`);
  return ["  problems:", ...kinds];
}

export interface ReportOptions {
  readonly json?: boolean;
  /** The option that would write the session, if one is missing; else empty. */
  readonly writtenBy?: string;
}

export async function printReport(report: EditReport, { json, writtenBy }: ReportOptions, io: Io): Promise<void> {
  const { target, sideFiles, addedBytes, plan } = report;
  if (json) return io.stdout(printedJson(toEditJson(report), io));
  if (sideFiles === null)
    return io.stderr(`nothing was written${writtenBy ? ` (add ${writtenBy} to write it)` : ""}\n`);
  if (addedBytes) io.stderr(neutralize(`  note:    ${plan.notes.at(-1)}\n`));
  const { resume } = toEditJson(report);
  await io.stdout(neutralize(`${target.id}\n${resume === null ? "" : `${resume}\n`}`));
  if (resume === null) {
    io.stderr("Claude Code can resume it only from its project's folder, with a UUID as the file name\n");
  } else if (target.cwd === null) {
    io.stderr("no record names the project's folder: run the command there\n");
  }
}
