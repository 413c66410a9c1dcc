import { z } from "zod";
import { textBlock } from "../../format/record/api-message.js";
import { createTool } from "./create-tool.js";
import { refusedOutcome, type Tool, type ToolOutcome } from "./tool.js";
import type { AgentReport } from "./tool-context.js";

export interface AgentTypeSummary {
  readonly name: string;
  readonly description: string;
}

/** The tool that launches sub-agents; its description lists the agent types. */
export function createTaskTool(types: readonly AgentTypeSummary[]): Tool {
  const list = types.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  return createTool({
    name: "Task",
    description: `Hands a task to a sub-agent that works by itself and reports back once. It knows nothing of this conversation: the prompt must say everything. Start several in one answer when they do not depend on each other.\n\nTypes:\n${list}`,
    schema: z.object({
      description: z.string().min(1).describe("The task in three to five words"),
      prompt: z.string().min(1).describe("The task"),
      subagent_type: z.string().optional().describe("Which type; general-purpose unless given"),
      model: z.string().optional().describe("Another model than usual: opus, sonnet, haiku or a full name"),
      run_in_background: z.boolean().optional().describe("Continue at once; you are notified when it is done"),
    }),
    isReadOnly: true,
    action: () => ({ kind: "harmless" }),
    async run({ description, prompt, subagent_type, model, run_in_background }, context) {
      const report = await context.launchAgent({
        type: subagent_type ?? "general-purpose",
        description,
        prompt,
        model,
        inBackground: run_in_background ?? false,
      });
      return report.kind === "launched" ? launched(report, description, prompt) : done(report, prompt);
    },
  });
}

function launched(
  report: Extract<AgentReport, { kind: "launched" }>,
  description: string,
  prompt: string,
): ToolOutcome {
  const { agentId, outputFile, model } = report;
  const text = `Async agent launched successfully.\nagentId: ${agentId}\nIt works in the background; you are notified when it is done.`;
  return {
    content: [textBlock(text)],
    data: { isAsync: true, status: "async_launched", agentId, description, resolvedModel: model, prompt, outputFile },
  };
}

/** The report of a sub-agent, with a note if it did not finish. */
export function reportText({ text, problem }: Pick<AgentReport & { kind: "done" }, "text" | "problem">): string {
  const said = text.trim() === "" ? "(The sub-agent ended without a report.)" : text;
  return problem === undefined ? said : `${said}\n\n(The sub-agent did not finish: ${problem}.)`;
}

function done(report: Extract<AgentReport, { kind: "done" }>, prompt: string): ToolOutcome {
  const { agentId, type, model, durationMs, tokens, toolUses, toolsUsed, usage, wasInterrupted, wasRefused } = report;
  const content = [textBlock(reportText(report))];
  if (wasInterrupted) {
    return {
      content: "[Request interrupted by user for tool use]",
      data: "Error: interrupted",
      isError: true,
      wasInterrupted,
    };
  }
  if (wasRefused) return refusedOutcome({ feedback: undefined });
  return {
    content,
    data: {
      status: "completed",
      prompt,
      agentId,
      agentType: type,
      toolsUsed,
      content,
      resolvedModel: model,
      totalDurationMs: durationMs,
      totalTokens: tokens,
      totalToolUseCount: toolUses,
      usage,
    },
  };
}
