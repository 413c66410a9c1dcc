import type { EditOptions, EditPlan } from "../../edit/plans/edit-plan.js";
import { type EditSource, readEditSource } from "../../edit/plans/edit-source.js";
import { writeEdit } from "../../edit/write/write-edit.js";
import { UserError } from "../../errors.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import type { FoundSession } from "../../library/found-session.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { liveSince, openRunningSessions, type RunningSessions } from "../../library/running/running-sessions.js";
import { formatTokens } from "../../render/format-values.js";
import { type EditMark, markTitle } from "../../session/choose-title.js";
import { recordLineage } from "../../store/user-db.js";
import { requireTranscript } from "../choose-session.js";
import { describeActivity } from "../describe-activity.js";
import { maskingRedactor } from "../redaction.js";
import { dataFolderOf, type Environment } from "../settings.js";
import type { EditReport } from "./edit-report.js";
import { chooseEditTarget } from "./edit-target.js";

export interface PrepareOptions extends Pick<LoadOptions, "marks"> {
  readonly demo?: boolean;
  readonly title?: string;
  readonly output?: string;
  readonly keepUuids?: boolean;
  /** For prune, which needs the bodies too: the file is read once for both. */
  readonly sketchesBodies?: boolean;
  /** With what Claude Code cut out of the file, where the archive has it. */
  readonly readsWhole?: boolean;
}

/** Makes the plan of one edit. */
export type MakePlan = (source: EditSource, common: EditOptions) => EditPlan | Promise<EditPlan>;

/** Plans an edit; nothing is written. `mark` is added to the title, such as "fork". */
export async function prepareEdit(
  found: FoundSession,
  options: PrepareOptions,
  environment: Environment,
  makePlan: MakePlan,
  mark: EditMark,
): Promise<EditReport> {
  const running = openRunningSessions(dataFolderOf(environment));
  const { source, note } = readSource(found, options, running);
  const target = chooseEditTarget(found, source, options, environment);
  const known = options.marks?.get(found.id)?.title ?? source.outline.title?.text ?? null;
  const plan = await makePlan(source, { id: target.id, title: options.title ?? known, keepUuids: options.keepUuids });
  if (plan.pruned === 0) throw nothingToPrune(plan);
  const titled =
    options.title === undefined && known !== null ? { ...plan, title: markTitle(plan.title ?? known, mark) } : plan;
  const redactor = await maskingRedactor(environment);
  const activity = found.archived ? undefined : running.find(found);
  const mention = activity ? [`the source is ${describeActivity(activity, redactor)}; it stays as it is`] : [];
  const shownTitle = titled.title === null ? null : redactor.text(titled.title, "title");
  return { plan: { ...titled, notes: [...titled.notes, ...note, ...mention] }, target, shownTitle, sideFiles: null };
}

function nothingToPrune({ notes, tokensBefore }: EditPlan): UserError {
  const hint = [...notes, `the session takes about ${formatTokens(tokensBefore)} tokens`, "nothing was written"].join(
    "; ",
  );
  return new UserError("not-found", "there is nothing to prune with these options", hint);
}

/** Writes the new session and records where it came from. */
export async function writePrepared(report: EditReport, environment: Environment): Promise<EditReport> {
  const { sideFiles, addedBytes } = await writeEdit(report.plan, report.target);
  keepLineage(report.plan, report.target.path, environment);
  if (addedBytes === 0) return { ...report, sideFiles };
  const { plan } = report;
  return { ...report, plan: { ...plan, notes: [...plan.notes, noteAdded(addedBytes)] }, sideFiles, addedBytes };
}

function noteAdded(bytes: number): string {
  return `the source grew by ${bytes} bytes while it was edited; the new session has it as it was before`;
}

/** The session to edit; a sub-agent's file is none. */
export function readSource(
  found: FoundSession,
  { sketchesBodies, readsWhole }: PrepareOptions,
  running: RunningSessions,
): { readonly source: EditSource; readonly note: readonly string[] } {
  const { projectDir } = sessionPaths(found.path);
  const path = requireTranscript(found).open();
  const whole = readsWhole ? found.withSource?.() : undefined;
  const source = readEditSource(whole?.path ?? path, {
    liveSince: liveSince(running, found),
    projectDir,
    sketchesBodies,
  });
  if (!source.outline.isAgentFile) return { source, note: whole?.from ? [noteSource(whole.from)] : [] };
  const hint = "name its main session instead; sub-agents are included";
  throw new UserError("usage", `${found.path} is a sub-agent's file`, hint);
}

function noteSource({ id, lines }: { readonly id: string; readonly lines: number }): string {
  return `the first ${lines} lines are those of ${id}, of which this session is a copy; sub-agents and spilled output stay there`;
}

/** The new session is complete without its lineage, so a failure is only a warning. */
function keepLineage({ id, source, command }: EditPlan, path: string, environment: Environment): void {
  try {
    const at = new Date().toISOString();
    recordLineage(dataFolderOf(environment), { session: id, source: source.id, command, at, path });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    environment.warn(`the new session is not in the lineage: ${error.message}`);
  }
}
