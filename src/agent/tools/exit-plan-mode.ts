import { z } from "zod";
import { defineTool } from "./define-tool.js";
import { ToolError } from "./tool.js";

export const exitPlanModeTool = defineTool({
  name: "ExitPlanMode",
  description:
    "Shows your plan to the person and asks whether to carry it out. Only in plan mode, when the plan is complete.",
  schema: z.object({ plan: z.string().min(1).describe("The plan, in Markdown") }),
  isReadOnly: false,
  action: () => ({ kind: "talk" }),
  async run({ plan }, { leavePlanMode }) {
    const answer = await leavePlanMode(plan);
    if (answer === "not-planning") throw new ToolError("You are not in plan mode. Go on with the work.", true);
    if (answer !== "approved") throw new ToolError(ANSWERS[answer]);
    return {
      content: "User has approved exiting plan mode. You can now proceed.",
      data: { plan, isAgent: false, filePath: null },
    };
  },
});

const ANSWERS = {
  refused: "The plan was not approved. Stay in plan mode; ask what should be different.",
  none: "Nobody is there to approve the plan. Stay in plan mode, and end with the whole plan as your answer.",
} as const;
