import { formatCost, formatDuration, formatTime, formatTokens, totalTokens } from "../format-values.js";
import type { ShownSession, ShownTurn } from "../shown-session.js";
import { createStyle } from "../style.js";
import { type CastStep, printed, typed } from "./cast-step.js";
import { indent } from "./indent.js";
import { itemSteps } from "./item-steps.js";
import { cutLines, fitted, oneLine, type RecordingOptions, type Stage } from "./stage.js";

const LONGEST_PROMPT = 24; // lines

/** A session as it would have looked in a terminal: prompts typed, answers streamed, tools at work. */
export function* sessionSteps(session: ShownSession, options: RecordingOptions): Generator<CastStep> {
  const stage: Stage = {
    session,
    options,
    style: createStyle(true),
    margin: "",
    depth: options.depth,
    told: new Set(),
    clock: { time: null },
    play: itemSteps,
  };
  yield printed(heading(stage));
  yield* itemSteps(session.preamble(), stage);
  for (const shown of session.turns()) {
    yield* promptSteps(shown, stage);
    yield* itemSteps(shown.items, stage);
    yield printed(closing(shown, stage), 0.5);
  }
}

function heading({ session, style, options }: Stage): string {
  const { title, project, gitBranch, models, startedAt } = session.header;
  const place = [project, gitBranch, models.join(", "), formatTime(startedAt)].filter((part) => part).join(" · ");
  return `${style.bold(oneLine(title, options.columns))}\n${style.dim(oneLine(place, options.columns))}\n`;
}

/** People read before they type: the pause before a prompt is as long as allowed. */
function* promptSteps({ turn }: ShownTurn, stage: Stage): Generator<CastStep> {
  const { style, options } = stage;
  const sign = turn.kind === "bash" ? "! " : turn.kind === "notification" ? "* " : "❯ ";
  yield printed(`\n${style.cyan(sign)}`, Math.min(1, options.maxPause));
  const words = cutLines(fitted(turn.prompt, stage, sign.length), LONGEST_PROMPT);
  const lines = indent(words, "", " ".repeat(sign.length));
  if (turn.kind === "notification") yield printed(style.bold(lines));
  else yield* typed(style.bold(lines));
  yield printed("\n", 0.3);
  for (const item of turn.context) {
    const name = "path" in item ? item.path : item.mediaType;
    yield printed(`${style.dim(oneLine(`  with ${item.kind.replaceAll("_", " ")} ${name ?? ""}`, options.columns))}\n`);
  }
  if (turn.output) yield printed(`${style.dim(indent(cutLines(fitted(turn.output, stage, 2), 8), "  "))}\n`);
  stage.clock.time = turn.startedAt;
}

function closing({ turn, costUsd }: ShownTurn, { style }: Stage): string {
  const facts = [
    turn.interrupted ? "interrupted" : "",
    turn.durationMs === null ? "" : formatDuration(turn.durationMs),
    `${formatTokens(totalTokens(turn.usage))} tokens`,
    formatCost(costUsd),
  ];
  return `${style.dim(`  ${facts.filter((part) => part !== "").join(" · ")}`)}\n`;
}
