import type { Compaction } from "../../session/compactions.js";
import { formatTokens } from "../format-values.js";
import type { TurnItem } from "../turn-items.js";
import { callSteps } from "./call-steps.js";
import { type CastStep, printed, streamed } from "./cast-step.js";
import { indent } from "./indent.js";
import { paintAnswer } from "./paint-answer.js";
import { cutLines, fitted, oneLine, pauseUntil, type Stage, withMargin } from "./stage.js";

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
  const { style, options } = stage;
  switch (item.kind) {
    case "text":
      yield* item.isApiError ? asideSteps(item.text, "✗ ", style.red, stage) : answerSteps(item.text, stage);
      return;
    case "thinking":
      if (options.thinking) yield lineStep(style.dim("· thinking"), stage);
      return;
    case "call":
      if (options.tools !== "none") yield* callSteps(item.call, stage);
      return;
    case "followUp":
      yield* asideSteps(item.followUp.prompt, "  ❯ ", style.bold, stage);
      return;
    case "local": {
      const { kind, prompt, output } = item.local;
      const text = [prompt, output ?? ""].filter((part) => part !== "").join("\n");
      yield* asideSteps(text, kind === "bash" ? "! " : "  ", style.dim, stage);
      return;
    }
    case "notice":
      if (item.notice.kind !== "injected") yield* asideSteps(item.notice.text, "* ", style.dim, stage);
      return;
    case "compaction":
      yield lineStep(style.yellow(compactionLine(item.compaction)), stage);
      return;
    case "orphanResult":
      yield lineStep(
        style.yellow(oneLine(`? a result without its call: ${item.orphan.toolUseId}`, options.columns)),
        stage,
      );
      return;
    case "file":
      yield lineStep(style.dim(oneLine(`  (${item.type})`, options.columns)), stage);
      return;
  }
}

function* answerSteps(text: string, stage: Stage): Generator<CastStep> {
  const most = stage.margin === "" ? LONGEST_ANSWER : LONGEST_REPORT;
  const lines = cutLines(fitted(text, stage, 2), most);
  yield* streamed(`${withMargin(indent(paintAnswer(lines, stage.style), "● "), stage)}\n`);
}

function* asideSteps(text: string, sign: string, paint: (text: string) => string, stage: Stage): Generator<CastStep> {
  const lines = cutLines(fitted(text, stage, sign.length), LONGEST_ASIDE);
  if (lines !== "") yield lineStep(paint(indent(lines, sign)), stage);
}

function lineStep(lines: string, stage: Stage): CastStep {
  return printed(`${withMargin(lines, stage)}\n`, 0.4);
}

function compactionLine({ trigger, preTokens, postTokens }: Compaction): string {
  const after = postTokens === null ? "" : ` → ${formatTokens(postTokens)}`;
  const size = preTokens === null ? "" : `, ${formatTokens(preTokens)}${after} tokens`;
  return `── compacted (${oneLine(trigger ?? "unknown trigger", 20)}${size}) ──`;
}
