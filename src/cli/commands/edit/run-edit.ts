import { chooseSession } from "../../../app/choose-session.js";
import { type MakePlan, prepareEdit, writePrepared } from "../../../app/edit/prepare-edit.js";
import { loadOptions } from "../../../app/load-options.js";
import { sessionRoots } from "../../../app/session-roots.js";
import { limitHeapGrowth } from "../../../app/small-heap.js";
import { rehearseEdit } from "../../../edit/write/write-edit.js";
import type { EditMark } from "../../../session/choose-title.js";
import type { Io } from "../../io.js";
import type { EditCommandOptions } from "../../options/edit-options.js";
import { describePlan, printReport } from "../../report/edit-report.js";

/** Plans, prints the plan, writes, and prints how to resume the new session. */
export async function runEdit(
  name: string,
  options: EditCommandOptions,
  io: Io,
  makePlan: MakePlan,
  mark: EditMark, // added to the title
): Promise<void> {
  limitHeapGrowth();
  const load = await loadOptions(io);
  const found = chooseSession(name, await sessionRoots(io, options), io, load);
  const report = await prepareEdit(found, { ...options, marks: load.marks }, io, makePlan, mark);
  io.stderr(describePlan(report));
  // What is redacted is known only when everything was made.
  if (options.dryRun && report.plan.cleaning) await rehearseEdit(report.plan);
  return printReport(options.dryRun ? report : await writePrepared(report, io), options, io);
}
