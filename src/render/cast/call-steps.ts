import type { ToolCall } from "../../session/pair-tool-calls.js";
import { formatDuration } from "../format-values.js";
import type { ShownSubagent } from "../shown-session.js";
import type { Style } from "../style.js";
import { shownToolName } from "../tools/shown-tool-name.js";
import type { ViewPart } from "../tools/tool-view.js";
import { viewTool } from "../tools/view-tool.js";
import { type CastStep, printed, reprinted } from "./cast-step.js";
import { indent } from "./indent.js";
import { cutLines, fitted, oneLine, pauseUntil, type Stage, withMargin } from "./stage.js";

const SHOWN_LINES = 16;

/** A tool at work, then how it ended; between them what its sub-agents did. */
export function* callSteps(call: ToolCall, stage: Stage): Generator<CastStep> {
  const { style, margin, options } = stage;
  const { title, parts } = viewTool(call);
  const name = shownToolName(call.name);
  const agents =
    stage.depth === 0 ? [] : stage.session.launchedBy(call.id).filter(({ agentId }) => !stage.told.has(agentId));
  yield printed(`${margin}${style.yellow("▸")} ${callLine(name, title, "", stage)}`, 0.1);
  if (agents.length > 0) yield printed("\n");
  for (const agent of agents) yield* agentSteps(agent, stage);
  const took = call.durationMs === null ? "" : ` (${formatDuration(call.durationMs)})`;
  const worked = agents.length > 0 ? 0 : Math.min((call.durationMs ?? 0) / 1000, options.maxPause);
  const ended = `${margin}${sign(call, style)} ${callLine(name, title, took, stage)}\n`;
  yield reprinted(ended, worked);
  if (call.endedAt !== null) pauseUntil(call.endedAt, stage);
  const lines = options.tools === "full" || call.status !== "ok" ? detailLines(call, parts, stage) : "";
  if (lines !== "") yield printed(`${lines}\n`, 0.3);
}

/** Never broken by the terminal: it is printed over. */
function callLine(name: string, title: string, took: string, { style, options, margin }: Stage): string {
  const room = options.columns - margin.length - 2 - took.length;
  const tool = oneLine(name, Math.min(40, room));
  return `${style.bold(tool)} ${oneLine(title, Math.max(2, room - tool.length - 1))}${style.dim(took)}`;
}

function sign({ status }: ToolCall, style: Style): string {
  if (status === "ok") return style.green("✓");
  return status === "orphan" ? style.yellow("?") : style.red("✗");
}

/** Of a failure its reason is shown in any case. */
function detailLines(call: ToolCall, parts: readonly ViewPart[], stage: Stage): string {
  const { style, options } = stage;
  const shown = parts.filter((part) => options.tools === "full" || ("isError" in part && part.isError));
  const text = shown
    .map((part) => partText(part, stage))
    .filter((words) => words !== "")
    .join("\n");
  const most = options.tools === "full" ? SHOWN_LINES : 3;
  const lines = cutLines(text, most);
  const painted = call.status === "ok" ? lines : style.red(lines);
  return painted === "" ? "" : withMargin(indent(painted, "    "), stage);
}

function partText(part: ViewPart, stage: Stage): string {
  const { style } = stage;
  switch (part.kind) {
    case "code":
    case "text":
    case "markdown":
      return style.dim(fitted(part.text, stage, 4));
    case "diff":
      return part.hunks.flatMap(({ lines }) => lines.map((line) => diffLine(fitted(line, stage, 4), style))).join("\n");
    case "todos":
      return part.items
        .map(({ text, state }) => oneLine(`${TODO_SIGNS[state]} ${text}`, stage.options.columns - 4))
        .join("\n");
    case "table":
      return part.rows.map((row) => oneLine(row.join("  "), stage.options.columns - 4)).join("\n");
    case "image":
      return style.dim(`(${oneLine(part.mediaType, 40)})`);
    case "json":
      return style.dim(fitted(JSON.stringify(part.value, null, 2) ?? "", stage, 4));
    case "agent":
      return "";
  }
}

const TODO_SIGNS = { open: "·", active: "▸", done: "✓" } as const;

function diffLine(line: string, style: Style): string {
  if (line.startsWith("+")) return style.green(line);
  return line.startsWith("-") ? style.red(line) : style.dim(line);
}

/** Its calls and what it said, in short, behind a margin. */
function* agentSteps(agent: ShownSubagent, stage: Stage): Generator<CastStep> {
  stage.told.add(agent.agentId);
  const session = agent.open();
  const inside: Stage = {
    ...stage,
    session,
    margin: `${stage.margin}│ `,
    depth: stage.depth - 1,
    clock: { time: null },
  };
  for (const { items } of session.turns()) yield* stage.play(items, inside);
}
