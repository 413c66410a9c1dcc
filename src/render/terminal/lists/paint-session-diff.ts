import type { DiffSide, DiffTurn, SessionDiff, TurnPair } from "../../../edit/diff/diff-sessions.js";
import { findHunks } from "../../../session/file-history/unified-diff.js";
import { formatCount, formatTokens } from "../../format-values.js";
import { describeMissingPreserved } from "../../labels.js";
import { neutralize } from "../../safe-text.js";
import { paintDiff } from "../paint-diff.js";
import type { Style } from "../style.js";

/** A comparison of two sessions: identical turns are counted, others shown with their differences. */
export function* paintSessionDiff({ a, b, turns }: SessionDiff, style: Style): Generator<string> {
  for (const [mark, side] of [["---", a] as const, ["+++", b] as const]) {
    const title = side.title === null ? "" : ` ${side.title}`;
    const size = `${formatCount(side.turns, "turn")}, ${formatTokens(side.tokens)} tokens`;
    yield `${style.bold(neutralize(`${mark} ${side.id}${title}`))} ${style.dim(size)}\n`;
    yield missingLine(side, style);
  }
  let same = 0;
  for (const pair of turns) {
    if (pair.kind === "same") same += 1;
    else {
      yield sameLine(same, style);
      same = 0;
      yield paintPair(pair, style);
    }
  }
  yield sameLine(same, style);
}

function missingLine({ missingPreserved }: DiffSide, style: Style): string {
  const missing = describeMissingPreserved(missingPreserved);
  return missing === "" ? "" : style.yellow(`  ${missing}\n`);
}

function sameLine(count: number, style: Style): string {
  return count === 0 ? "" : style.dim(`  ${formatCount(count, "turn is", "turns are")} the same\n`);
}

function paintPair({ a, b, differs }: TurnPair, style: Style): string {
  if (a && b) {
    const head = style.cyan(`@@ turn ${a.index} and ${b.index}: ${differs.join(", ")}`);
    const parts = differs.map((part) => paintDifference(a[part], b[part], part, style));
    return `${head}\n${differs.includes("prompt") ? "" : `  ${promptLine(a)}\n`}${parts.join("")}`;
  }
  const [turn, mark, paint] = a ? ([a, "-", style.red] as const) : ([b, "+", style.green] as const);
  if (!turn) return "";
  const tools = formatCount(turn.tools.length, "tool call");
  const lines = [promptLine(turn), `  ${tools}, ${formatTokens(turn.tokens)} tokens${preservedPart(turn)}`];
  const side = a ? "first" : "second";
  return `${style.cyan(`@@ turn ${turn.index} only in the ${side}`)}\n${paint(lines.map((line) => `${mark} ${line}`).join("\n"))}\n`;
}

function preservedPart({ preserved }: DiffTurn): string {
  return preserved === 0 ? "" : `, ${formatCount(preserved, "message")} preserved by a compaction`;
}

function promptLine({ prompt }: DiffTurn): string {
  const [first = ""] = neutralize(prompt).trim().split("\n", 1);
  return first === "" ? "(no text)" : first;
}

function paintDifference(a: DiffTurn["prompt" | "tools" | "tokens"], b: typeof a, name: string, style: Style): string {
  if (typeof a === "number" || typeof b === "number") {
    const label = name === "preserved" ? "messages preserved by a compaction" : name;
    return `  ${label}: ${formatTokens(Number(a))} → ${formatTokens(Number(b))}\n`;
  }
  const [before, after] = [joinLines(a), joinLines(b)];
  const lines = findHunks(before, after).flatMap((hunk) => hunk.lines);
  return `  ${name}:\n${paintDiff(lines.join("\n"), style)}\n`;
}

function joinLines(value: string | readonly string[]): string {
  return `${typeof value === "string" ? value : value.join("\n")}\n`;
}
