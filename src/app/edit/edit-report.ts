import type { EditPlan } from "../../edit/plans/edit-plan.js";
import { formatCount, formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { Io } from "../io.js";
import { maskingRedactor } from "../redaction.js";
import type { EditPlace } from "./edit-target.js";

/** What an edit does, or did. */
export interface EditReport {
  readonly plan: EditPlan;
  readonly target: EditPlace;
  readonly sideFiles: number | null; // null: nothing is written yet
}

/** The plan for reading, before anything is written. */
export function describePlan({ plan, target }: EditReport): string {
  const { command, source, kept, removed, tokensBefore, tokensAfter, notes } = plan;
  const listed = (kind: "remove" | "replace") =>
    [...countReasons(plan, kind)].map(([why, count]) => `    ${why}: ${count}${tokensSaved(plan, why)}`);
  const changed = listed("replace");
  const lines = [
    `${command} of ${source.id}`,
    `  stays: ${formatCount(kept, "record")}`,
    removed === 0 ? "  goes:  nothing" : `  goes:  ${formatCount(removed, "record")}`,
    ...listed("remove"),
    ...(changed.length === 0 ? [] : ["  changes:", ...changed]),
    ...describeProblems(plan),
    `  about ${formatTokens(tokensBefore)} tokens before, ${formatTokens(tokensAfter)} after (estimates)`,
    ...(plan.title === null ? [] : [`  title: ${masked(plan.title)}`]),
    `  file:  ${target.path}`,
    ...notes.map((note) => `  note:  ${note}`),
  ];
  return neutralize(`${lines.join("\n")}\n`);
}

function describeProblems({ problems }: EditPlan): string[] {
  if (problems === undefined) return [];
  if (problems.length === 0) return ["  wrong: nothing"];
  const kinds = problems.map(({ code, found, left }) => `    ${code}: ${found}${left > 0 ? `, ${left} left` : ""}`);
  return ["  wrong:", ...kinds];
}

export interface ReportOptions {
  readonly json?: boolean;
  /** The option that is missing, where nothing is written without one; else empty. */
  readonly writtenBy?: string;
}

export async function printReport(report: EditReport, options: ReportOptions, io: Io): Promise<void> {
  const { target, sideFiles } = report;
  if (options.json) return io.stdout(`${JSON.stringify(toEditJson(report), null, 2)}\n`);
  if (sideFiles === null)
    return io.stderr(`nothing was written${options.writtenBy ? ` (${options.writtenBy} writes it)` : ""}\n`);
  const resume = resumeCommand(target);
  await io.stdout(neutralize(`${target.id}\n${resume === null ? "" : `${resume}\n`}`));
  if (resume === null) io.stderr("clients resume a session from its project's folder, by a UUID as its file name\n");
  else if (target.cwd === null) io.stderr("no record tells the project's path: resume it there\n");
}

/** The contract of all edits. */
export interface EditJson {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  readonly removed: number; // records
  readonly kept: number;
  readonly tokensBefore: number; // estimates
  readonly tokensAfter: number;
  readonly command: string;
  readonly title: string | null;
  /** By reason: how many records go or change, and about how many tokens that saves. */
  readonly removedBy: Readonly<Record<string, number>>;
  readonly changedBy: Readonly<Record<string, number>>;
  readonly savedTokens: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  readonly problems?: EditPlan["problems"];
  readonly sideFiles: number | null;
  readonly dryRun: boolean;
  readonly resume: string | null;
}

export function toEditJson({ plan, target, sideFiles }: EditReport): EditJson {
  const { command, source, title, removed, kept, tokensBefore, tokensAfter, notes, problems } = plan;
  return {
    id: target.id,
    path: target.path,
    source: source.id,
    removed,
    kept,
    tokensBefore,
    tokensAfter,
    command,
    title: title === null ? null : masked(title),
    removedBy: Object.fromEntries(countReasons(plan, "remove")),
    changedBy: Object.fromEntries(countReasons(plan, "replace")),
    savedTokens: Object.fromEntries(plan.savedTokens),
    notes,
    ...(problems === undefined ? {} : { problems }),
    sideFiles,
    dryRun: sideFiles === null,
    resume: resumeCommand(target),
  };
}

function countReasons({ changes }: EditPlan, kind: "remove" | "replace"): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const change of changes.values()) {
    if (change.kind === kind) counts.set(change.reason, (counts.get(change.reason) ?? 0) + 1);
  }
  return counts;
}

function tokensSaved({ savedTokens }: EditPlan, why: string): string {
  const tokens = savedTokens.get(why) ?? 0;
  return tokens > 0 ? ` (about ${formatTokens(tokens)} tokens)` : "";
}

function masked(title: string): string {
  return maskingRedactor().text(title, "title");
}

export function resumeCommand({ id, cwd, isFound }: Pick<EditPlace, "id" | "cwd" | "isFound">): string | null {
  if (!isFound) return null;
  return `${cwd === null ? "" : `cd ${quote(cwd)} && `}claude --resume ${id}`;
}

function quote(path: string): string {
  return /^[\w./~+@:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
