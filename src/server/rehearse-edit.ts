import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EditPlan } from "../edit/edit-plan.js";
import { writeEdit } from "../edit/write-edit.js";

/** Writes a new session where nobody finds it, and throws it away: what a redactor takes out is known only after that. */
export async function rehearseEdit(plan: EditPlan): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnlog-rehearsal-"));
  try {
    await writeEdit(plan, { path: join(folder, `${plan.id}.jsonl`), configRoot: null });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
