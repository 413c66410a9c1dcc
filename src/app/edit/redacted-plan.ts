import type { EditOptions, EditPlan } from "../../edit/plans/edit-plan.js";
import type { EditSource } from "../../edit/plans/edit-source.js";
import { planRedact } from "../../edit/plans/plan-redact.js";
import { learnSession } from "../../edit/write/redact-file.js";
import type { Redactor } from "../../redact/create-redactor.js";

/** Plans a copy without secrets; its title too, which may repeat what a later record names as a secret. */
export function redactedPlan(source: EditSource, common: EditOptions, redactor: Redactor): EditPlan {
  learnSession(source.path, redactor.learn);
  const title = common.title == null ? null : redactor.text(common.title, "title");
  return planRedact(source, { clean: redactor.json }, { ...common, title });
}
