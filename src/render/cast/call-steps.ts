import type { ToolCall } from "../../session/pair-tool-calls.js";
import type { ShownSubagent } from "../shown-session.js";
import { paintBeside, sameMargin, withMargin } from "../terminal/margin.js";
import { briefFailure, paintCallLine, partsToTell, toCallLine } from "../terminal/paint-call.js";
import { paintPart } from "../terminal/paint-part.js";
import { toSpan } from "../terminal/span.js";
import { toText } from "../terminal/to-text.js";
import type { ViewPart } from "../tools/tool-view.js";
import { viewTool } from "../tools/view-tool.js";
import { type CastStep, printed, reprinted } from "./cast-step.js";
import { cutLines, cutText, pauseUntil, type Stage } from "./stage.js";

const SHOWN_LINES = 16;

/** A tool at work, then how it ended; between them what its sub-agents did. */
export function* callSteps(call: ToolCall, stage: Stage): Generator<CastStep> {
  const { margin, options, paint } = stage;
  const view = viewTool(call);
  const ended = toCallLine(call, view, paint);
  const agents =
    stage.depth === 0 ? [] : stage.session.launchedBy(call.id).filter(({ agentId }) => !stage.told.has(agentId));
  const running = { ...ended, sign: toSpan("▸", paint.style.yellow), facts: [] };
  yield printed(margin + paintCallLine(running, paint), 0.1);
  if (agents.length > 0) yield printed("\n");
  for (const agent of agents) yield* agentSteps(agent, stage);
  const worked = agents.length > 0 ? 0 : Math.min((call.durationMs ?? 0) / 1000, options.maxPause);
  yield reprinted(`${margin}${paintCallLine(ended, paint)}\n`, worked);
  if (call.endedAt !== null) pauseUntil(call.endedAt, stage);
  const lines = paintDetails(partsToTell(view, agents.length > 0), stage);
  if (lines.length > 0) yield printed(toText(withMargin(lines, margin)), 0.3);
}

/** Of a failure its reason is shown in any case. */
function paintDetails(parts: readonly ViewPart[], { options, paint }: Stage): readonly string[] {
  return paintBeside(sameMargin("  "), paint, (inner) =>
    options.tools === "full"
      ? cutLines(
          parts.flatMap((part) => paintPart(shortened(part), inner)),
          SHOWN_LINES,
          inner,
        )
      : briefFailure(parts.map(shortened), inner),
  );
}

function shortened(part: ViewPart): ViewPart {
  return "text" in part ? { ...part, text: cutText(part.text) } : part;
}

const AGENT_MARGIN = "│ ";
const LEAST_COLUMNS = 20;

/** Its calls and what it said, in short, behind a margin. */
function* agentSteps(agent: ShownSubagent, stage: Stage): Generator<CastStep> {
  stage.told.add(agent.agentId);
  const session = agent.open();
  const columns = stage.paint.columns - AGENT_MARGIN.length;
  const beside =
    columns < LEAST_COLUMNS ? {} : { margin: stage.margin + AGENT_MARGIN, paint: { ...stage.paint, columns } };
  const inside: Stage = { ...stage, ...beside, session, depth: stage.depth - 1, clock: { time: null } };
  for (const { items } of session.turns()) yield* stage.play(items, inside);
}
