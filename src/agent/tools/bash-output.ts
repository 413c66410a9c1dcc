import { z } from "zod";
import { stringAt } from "../../format/json.js";
import { defineTool } from "./define-tool.js";
import type { Shell } from "./shell/shells.js";
import { ToolError } from "./tool.js";

const MAX_SHOWN_CHARS = 30_000;

export const bashOutputTool = defineTool({
  name: "BashOutput",
  description: "Gives what a command in the background printed since it was last asked, and whether it still runs.",
  schema: z.object({
    bash_id: z.string().min(1).describe("The id that Bash gave"),
    filter: z.string().optional().describe("A regular expression: only lines that match"),
  }),
  isReadOnly: true,
  action: () => ({ kind: "harmless" }),
  async run({ bash_id, filter }, { shells }) {
    const shell = shells.find(bash_id);
    if (!shell) throw new ToolError(`No shell found with ID: ${bash_id}`, true);
    const take = (stream: "stdout" | "stderr") => {
      const fresh = shell[stream].text.slice(shell.read[stream]);
      shell.read[stream] += fresh.length;
      return matching(fresh, filter).slice(0, MAX_SHOWN_CHARS);
    };
    const [stdout, stderr] = [take("stdout"), take("stderr")];
    const status = statusOf(shell);
    const exitCode = shell.ended?.exitCode ?? null;
    const tags = [`<status>${status}</status>`, ...(exitCode === null ? [] : [`<exit_code>${exitCode}</exit_code>`])];
    const streams = Object.entries({ stdout, stderr }).flatMap(([name, text]) =>
      text === "" ? [] : [`<${name}>\n${text}\n</${name}>`],
    );
    return {
      content: [...tags, ...streams].join("\n"),
      data: {
        shellId: bash_id,
        command: shell.command,
        status,
        exitCode,
        stdout,
        stderr,
        timestamp: new Date().toISOString(),
      },
    };
  },
});

function statusOf({ wasKilled, ended }: Shell): string {
  if (wasKilled) return "killed";
  if (!ended) return "running";
  return ended.exitCode === 0 ? "completed" : "failed";
}

function matching(text: string, filter: string | undefined): string {
  if (filter === undefined) return text;
  const pattern = toPattern(filter);
  return text
    .split("\n")
    .filter((line) => pattern.test(line))
    .join("\n");
}

function toPattern(filter: string): RegExp {
  try {
    return new RegExp(filter);
  } catch (error) {
    throw new ToolError(`filter is no regular expression: ${stringAt(error, "message") ?? filter}`, true);
  }
}
