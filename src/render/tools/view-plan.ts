import { stringAt } from "../../format/json.js";
import type { ToolStatus } from "../../session/tool-status.js";
import { markdownPart, notePart, resultParts } from "./result-parts.js";
import type { ViewTool } from "./tool-view.js";

/** ExitPlanMode: the plan, and whether a person took it. */
export const viewPlan: ViewTool = (call) => {
  const plan = stringAt(call.input, "plan") ?? stringAt(call.resultData, "plan");
  const file = stringAt(call.resultData, "filePath") ?? stringAt(call.input, "planFilePath");
  return {
    title: `plan ${FATES[call.status]}${headline(plan)}`,
    parts: [...markdownPart(plan, "plan"), ...notePart(file, "file"), ...resultParts(call, "answer")],
  };
};

const FATES: Readonly<Record<ToolStatus, string>> = {
  ok: "accepted",
  denied: "rejected",
  interrupted: "interrupted",
  error: "failed",
  orphan: "proposed",
};

function headline(plan: string | undefined): string {
  const line = plan?.split("\n").find((text) => text.trim() !== "");
  return line === undefined ? "" : `: ${line.replace(/^#+\s*/, "")}`;
}
