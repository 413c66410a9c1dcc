import type { Command } from "commander";
import type { EditOptions, EditPlan } from "../../edit/plans/edit-plan.js";
import { type EditSource, readEditSource } from "../../edit/plans/edit-source.js";
import { writeEdit } from "../../edit/write/write-edit.js";
import { UserError } from "../../errors.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import type { FoundSession } from "../../library/found-session.js";
import { liveSince } from "../../library/load/live-session.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { recordLineage } from "../../store/user-db.js";
import { chooseSession } from "../choose-session.js";
import type { Io } from "../io.js";
import { loadOptions } from "../load-options.js";
import { type RootOptions, sessionRoots } from "../session-roots.js";
import { dataFolderOf } from "../settings.js";
import { limitHeapGrowth } from "../small-heap.js";
import { describePlan, type EditReport, printReport, type ReportOptions } from "./edit-report.js";
import { chooseEditTarget } from "./edit-target.js";

/** What every command that makes a session of another one can be asked for. */
export interface EditCommandOptions extends RootOptions, ReportOptions {
  readonly dryRun?: boolean;
  readonly title?: string;
  readonly output?: string;
  readonly keepUuids?: boolean;
}

export function addEditOptions(command: Command): Command {
  return command
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .option("--title <title>", "of the new session; without, that of the old one and what was done to it")
    .option("-o, --output <file>", "a file elsewhere instead of one in the project's folder")
    .option("--keep-uuids", "records keep their uuids, as in the client's own forks")
    .option("--dry-run", "only tell what would go and what would stay")
    .option("--json", "as JSON");
}

/** From a session without its bodies to what becomes of it. */
export type MakePlan = (source: EditSource, common: EditOptions) => EditPlan | Promise<EditPlan>;

/** Plans, shows the plan, writes, and says how to go on. */
export async function runEdit(
  name: string,
  options: EditCommandOptions,
  io: Io,
  makePlan: MakePlan,
  mark: string, // added to the title
): Promise<void> {
  limitHeapGrowth();
  const settings = await loadOptions(io);
  const found = chooseSession(name, await sessionRoots(io, options), io, settings);
  const report = await prepareEdit(found, { ...options, marks: settings.marks }, io, makePlan, mark);
  io.stderr(describePlan(report));
  return printReport(options.dryRun ? report : await writePrepared(report, io), options, io);
}

/** Plans; nothing is written. */
export async function prepareEdit(
  found: FoundSession,
  options: EditCommandOptions & Pick<LoadOptions, "marks">,
  io: Io,
  makePlan: MakePlan,
  mark: string,
): Promise<EditReport> {
  const source = readSource(found, io);
  const target = chooseEditTarget(found, source, options, io);
  const known = options.marks?.get(found.id)?.title ?? source.outline.title?.text ?? null;
  const plan = await makePlan(source, { id: target.id, title: options.title ?? known, keepUuids: options.keepUuids });
  const titled =
    options.title === undefined && known !== null ? { ...plan, title: withMark(plan.title ?? known, mark) } : plan;
  return { plan: titled, target, sideFiles: null };
}

/** Once, however often the same is done. */
function withMark(title: string, mark: string): string {
  return title.endsWith(` (${mark})`) ? title : `${title} (${mark})`;
}

export async function writePrepared(report: EditReport, io: Io): Promise<EditReport> {
  const { sideFiles } = await writeEdit(report.plan, report.target);
  keepLineage(report.plan, report.target.path, io);
  return { ...report, sideFiles };
}

function readSource(found: FoundSession, io: Io): EditSource {
  const { projectDir } = sessionPaths(found.path);
  const source = readEditSource(found.open(), { liveSince: liveSince(dataFolderOf(io), found.id), projectDir });
  if (source.records.length === 0) throw new UserError("unreadable", "the session is empty", "choose another one");
  if (!source.outline.isAgentFile) return source;
  const hint = "name the session that it belongs to: sub-agents come along";
  throw new UserError("usage", `${found.path} is a sub-agent's file`, hint);
}

/** The new session is complete without it, so a failure is told and no error. */
function keepLineage({ id, source, command }: EditPlan, path: string, io: Io): void {
  try {
    const at = new Date().toISOString();
    recordLineage(dataFolderOf(io), { session: id, source: source.id, command, at, path });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    io.stderr(`turnlog: the new session is not in the lineage: ${error.message}\n`);
  }
}
