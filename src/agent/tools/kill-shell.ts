import { z } from "zod";
import { defineTool } from "./define-tool.js";
import { ToolError } from "./tool.js";

export const killShellTool = defineTool({
  name: "KillShell",
  description: "Ends a command that runs in the background.",
  schema: z.object({ shell_id: z.string().min(1).describe("The id that Bash gave") }),
  isReadOnly: false,
  action: () => ({ kind: "harmless" }),
  async run({ shell_id }, { shells }) {
    const shell = shells.find(shell_id);
    if (!shell) throw new ToolError(`No shell found with ID: ${shell_id}`, true);
    if (!shells.kill(shell_id)) throw new ToolError(`Shell ${shell_id} is not running any more.`, true);
    const message = `Successfully killed shell: ${shell_id} (${shell.command})`;
    return { content: message, data: { message, shell_id } };
  },
});
