import { stringAt } from "../../format/json.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import { viewTool } from "../../render/tools/view-tool.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { ContextPoint, WindowAnswer, WindowPart } from "../api/session.js";
import { tokensOf } from "./context.js";

const LISTED = 60;
const TITLE_CHARACTERS = 160;
/** A secret that is cut is not recognised, so titles are redacted before they are. */
const READ_CHARACTERS = 20_000;

/** What was in the context window at the end of a turn, largest first. Reads the turns since the last compaction. */
export function* viewingWindow(
  session: LoadedSession,
  points: readonly ContextPoint[],
  turn: number,
): Generator<void, WindowAnswer | undefined> {
  const at = points.findIndex((point) => point.turn === turn);
  const point = points[at];
  if (!point) return undefined;
  const from = points.slice(0, at + 1).findLast(({ compaction }) => compaction !== null)?.turn ?? 1;
  const parts: WindowPart[] = [];
  const filesRead = new Set<string>();
  for (const one of session.turns(from, turn)) {
    for (const part of partsOf(one, one.index === turn, filesRead)) {
      const tokens = Math.round(part.tokens * point.scale);
      if (tokens > 0) parts.push({ ...part, tokens, title: part.title.trim().slice(0, READ_CHARACTERS) });
    }
    yield;
  }
  const largest = parts.toSorted((a, b) => b.tokens - a.tokens).slice(0, LISTED);
  return { point, from, parts: largest, total: parts.length };
}

/** As it is shown, of a redacted answer. */
export function cutTitles(answer: WindowAnswer): WindowAnswer {
  const parts = answer.parts.map((part) => ({ ...part, title: part.title.slice(0, TITLE_CHARACTERS) }));
  return { ...answer, parts };
}

/** The API drops thinking of older turns. */
function* partsOf(turn: Turn, isLast: boolean, filesRead: Set<string>): Generator<WindowPart> {
  const text = (kind: WindowPart["kind"], title: string): WindowPart => ({
    ...{ kind, turn: turn.index, callId: null, tool: null, isAgain: false },
    title,
    tokens: tokensOf(title),
  });
  for (const prompt of [turn.prompt, ...turn.followUps.map((followUp) => followUp.prompt)])
    yield text("prompt", prompt);
  for (const block of turn.messages.flatMap(({ blocks }) => blocks)) {
    if (block.kind === "text") yield text("answer", block.text);
    if (block.kind === "thinking" && isLast) yield text("thinking", block.text);
  }
  for (const call of turn.toolCalls) {
    const path = call.name === "Read" ? stringAt(call.input, "file_path") : undefined;
    const common = { turn: turn.index, callId: call.id, tool: call.name, title: viewTool(call).title };
    const isAgain = path !== undefined && filesRead.has(path);
    if (path !== undefined) filesRead.add(path);
    yield { kind: "call", ...common, tokens: tokensOf(JSON.stringify(call.input) ?? ""), isAgain: false };
    yield { kind: "result", ...common, tokens: tokensOf(call.result ?? ""), isAgain };
  }
}
