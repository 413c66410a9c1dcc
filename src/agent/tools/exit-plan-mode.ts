import { z } from "zod";
import { defineTool } from "./define-tool.js";

export const exitPlanModeTool = defineTool({
  name: "ExitPlanMode",
  description:
    "Shows your plan to the person and asks whether to carry it out. Only in plan mode, when the plan is complete.",
  schema: z.object({ plan: z.string().min(1).describe("The plan, in Markdown") }),
  isReadOnly: false,
  action: () => ({ kind: "talk" }),
  async run({ plan }, { leavePlanMode }) {
    const isApproved = await leavePlanMode(plan);
    const data = { plan, isAgent: false, filePath: null };
    if (isApproved) return { content: "User has approved exiting plan mode. You can now proceed.", data };
    const content = "The plan was not approved. Stay in plan mode; ask what should be different.";
    return { content, data: `Error: ${content}`, isError: true };
  },
});
