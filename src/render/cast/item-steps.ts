import { hangingMargin, paintBeside, sameMargin, withMargin } from "../terminal/margin.js";
import { paintItem } from "../terminal/paint-item.js";
import { paintMarkdown } from "../terminal/paint-markdown.js";
import { toText } from "../terminal/to-text.js";
import type { TurnItem } from "../turn-items.js";
import { callSteps } from "./call-steps.js";
import { type CastStep, printed, streamed } from "./cast-step.js";
import { cutLines, cutText, pauseUntil, type Stage } from "./stage.js";

const LONGEST_ANSWER = 150; // lines
const LONGEST_ASIDE = 8; // lines
const LONGEST_REPORT = 4; // lines, of what a sub-agent says

/** What happened in a turn, each thing after the time that it took to come. */
export function* itemSteps(items: readonly TurnItem[], stage: Stage): Generator<CastStep> {
  for (const item of items) {
    let waited = pauseUntil(item.timestamp, stage);
    for (const step of oneItemSteps(item, stage)) {
      yield { ...step, pause: step.pause + waited };
      waited = 0;
    }
  }
}

function* oneItemSteps(item: TurnItem, stage: Stage): Generator<CastStep> {
  if (item.kind === "text" && !item.isApiError) yield* answerSteps(item.text, stage);
  else if (item.kind === "call") {
    if (stage.options.tools !== "none") yield* callSteps(item.call, stage);
  } else if (item.kind !== "thinking" || stage.options.thinking) yield* asideSteps(item, stage);
}

function* answerSteps(text: string, { paint, margin }: Stage): Generator<CastStep> {
  const most = margin === "" ? LONGEST_ANSWER : LONGEST_REPORT;
  const lines = paintBeside(hangingMargin("● "), paint, (inner) =>
    cutLines(paintMarkdown(cutText(text), inner), most, inner),
  );
  yield* streamed(toText(withMargin(lines, margin)));
}

function* asideSteps(item: TurnItem, { paint, margin }: Stage): Generator<CastStep> {
  const lines = paintBeside(sameMargin("  "), { ...paint, tools: "brief" }, (inner) =>
    cutLines(paintItem(item, false, inner), LONGEST_ASIDE, inner),
  );
  if (lines.length > 0) yield printed(toText(withMargin(lines, margin)), 0.4);
}
