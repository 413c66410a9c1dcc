import { z } from "zod";
import { stringAt } from "../../../format/json.js";
import { compileUserPattern, type UserPattern } from "../../../user-pattern.js";
import { createTool } from "../create-tool.js";
import { ToolError } from "../tool.js";
import type { Shell, UnreadOutput } from "./shells.js";

const MAX_SHOWN_CHARS = 30_000;
/** How long to wait for new output, so that polling costs fewer requests. */
const PATIENCE_MS = 5_000;

export const bashOutputTool = createTool({
  name: "BashOutput",
  description: `Gives what a command in the background printed since it was last asked, and whether it still runs. Waits up to ${PATIENCE_MS / 1000} s for something new. Long output comes in parts: ask again for the next.`,
  schema: z.object({
    bash_id: z.string().min(1).describe("The id that Bash gave"),
    filter: z.string().optional().describe("A regular expression: only lines that match"),
  }),
  isReadOnly: true,
  action: () => ({ kind: "harmless" }),
  async run({ bash_id, filter }, { shells, signal, sandbox }) {
    const shell = shells.find(bash_id);
    if (!shell) throw new ToolError(`No shell found with ID: ${bash_id}`, true);
    const pattern = filter === undefined ? undefined : await toPattern(filter);
    await shells.waitForNews(shell, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
    const stdout = takeFrom(shell.stdout, pattern);
    const stderr = takeFrom(shell.stderr, pattern) + (sandbox?.takeNotes() ?? "");
    const status = statusOf(shell);
    shell.isEndKnown ||= shell.ended !== undefined;
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

function takeFrom(output: UnreadOutput, pattern: UserPattern | undefined): string {
  const { text, dropped } = output.take(pattern ? Number.POSITIVE_INFINITY : MAX_SHOWN_CHARS);
  const shown = pattern ? matching(text, pattern) : text;
  const before = dropped > 0 ? `(${dropped} characters before this were dropped)\n` : "";
  return before + shown + (output.isEmpty ? "" : "\n… (ask again for more)");
}

function matching(text: string, pattern: UserPattern): string {
  const lines = text.split("\n").filter((line) => pattern.matches(line));
  const found = lines.join("\n");
  return found.length > MAX_SHOWN_CHARS ? `${found.slice(0, MAX_SHOWN_CHARS)}\n… (cut)` : found;
}

async function toPattern(filter: string): Promise<UserPattern> {
  try {
    return await compileUserPattern(filter, "");
  } catch (error) {
    throw new ToolError(`filter is no regular expression: ${stringAt(error, "message") ?? filter}`, true);
  }
}

export const killShellTool = createTool({
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
