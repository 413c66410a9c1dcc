import { formatTime } from "../format-values.js";
import type { ShownSession, ShownTurn } from "../shown-session.js";
import { hangingMargin, paintBeside, sameMargin } from "../terminal/margin.js";
import { paintClosing } from "../terminal/paint-closing.js";
import type { PaintOptions } from "../terminal/paint-options.js";
import { describeContext } from "../terminal/paint-prompt.js";
import { paintText, paintWords } from "../terminal/paint-text.js";
import { toSpan } from "../terminal/span.js";
import { toText } from "../terminal/to-text.js";
import { type CastStep, printed, typed } from "./cast-step.js";
import { itemSteps } from "./item-steps.js";
import { cutLines, cutText, type RecordingOptions, type Stage, toPaintOptions } from "./stage.js";

const LONGEST_PROMPT = 24; // lines
const LONGEST_OUTPUT = 8; // lines

/** A session as it would have looked in a terminal: prompts typed, answers streamed, tools at work. */
export function* sessionSteps(session: ShownSession, options: RecordingOptions): Generator<CastStep> {
  const paint = toPaintOptions(session, options);
  const stage: Stage = {
    session,
    options,
    paint,
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
    yield printed(
      beside(paint, (inner) => paintClosing(shown.turn, shown.costUsd, inner)),
      0.5,
    );
  }
}

function heading({ session, paint }: Stage): string {
  const { title, project, gitBranch, models, startedAt } = session.header;
  const place = [project, gitBranch, models.join(", "), formatTime(startedAt)].filter((part) => part).join(" · ");
  const spans = [toSpan(title, paint.style.bold), toSpan(place, paint.style.dim)];
  return toText(spans.flatMap((span) => paintWords([span], paint)));
}

/** People read before they type: the pause before a prompt is as long as allowed. */
function* promptSteps({ turn }: ShownTurn, stage: Stage): Generator<CastStep> {
  const { options, paint } = stage;
  const { style } = paint;
  const sign = turn.kind === "bash" ? "! " : turn.kind === "notification" ? "* " : "❯ ";
  const lines = paintBeside(hangingMargin(sign), paint, (inner) =>
    cutLines(paintText(cutText(turn.prompt), style.bold, inner), LONGEST_PROMPT, inner),
  );
  const words = lines.join("\n").slice(sign.length);
  yield printed(`\n${style.cyan(sign)}`, Math.min(1, options.maxPause));
  if (turn.kind === "notification") yield printed(words);
  else yield* typed(words);
  yield printed("\n", 0.3);
  for (const item of turn.context) {
    yield printed(beside(paint, (inner) => paintText(`with ${describeContext(item)}`, style.dim, inner)));
  }
  if (turn.output) {
    const said = cutText(turn.output);
    yield printed(beside(paint, (inner) => cutLines(paintText(said, style.dim, inner), LONGEST_OUTPUT, inner)));
  }
  stage.clock.time = turn.startedAt;
}

function beside(options: PaintOptions, paint: (inner: PaintOptions) => readonly string[]): string {
  return toText(paintBeside(sameMargin("  "), options, paint));
}
