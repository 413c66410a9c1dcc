import { UserError } from "../../errors.js";
import type { LoadedSession } from "../../library/load-session.js";
import type { Clean } from "../../redact/clean.js";
import { showSession, type TurnRange } from "../../render/show-session.js";
import type { ShownTurn } from "../../render/shown-session.js";
import { viewTool } from "../../render/tools/view-tool.js";
import type { TurnItem } from "../../render/turn-items.js";
import type { PriceTable } from "../../session/cost.js";
import type { ServedItem, ServedTurn, TurnsAnswer } from "../api/turns.js";
import { cutTexts } from "../cut-texts.js";

export interface TurnsRequest extends TurnRange {
  /** Texts as long as they are. */
  readonly isWhole: boolean;
  readonly clean: Clean;
  readonly prices: PriceTable | undefined;
  readonly version: number;
  /** No further turn where there are so many characters. */
  readonly enough?: number;
}

/** Unless less is enough, an answer ends with the turn that reaches this. */
const ANSWER_CHARACTERS = 3_000_000;
/** No text of an answer is longer, unless whole turns are asked for. */
const TEXT_CHARACTERS = 64_000;
const WHOLE_CHARACTERS = 16_000_000;

/** Turns as surfaces show them, as the JSON of a `TurnsAnswer`. */
export function turnsJson(session: LoadedSession, request: TurnsRequest): string {
  const { from, to, clean, prices, version, enough = ANSWER_CHARACTERS } = request;
  const total = session.outline.turns.length;
  refuseEmptyRange(from, total);
  const shown = showSession(session, { clean, prices, range: { from, to: Math.min(to, total) }, deadLeaves: [] });
  const limit = request.isWhole ? WHOLE_CHARACTERS : TEXT_CHARACTERS;
  const preamble = cutTexts(shown.preamble().map(toServedItem), limit).value;
  const texts: string[] = [];
  let characters = 0;
  for (const turn of shown.turns()) {
    const text = JSON.stringify(toServedTurn(turn, limit));
    texts.push(text);
    characters += text.length;
    if (characters > enough) break;
  }
  const rest: Omit<TurnsAnswer, "turns"> = { total, from, to: from + texts.length - 1, version, preamble };
  return `${JSON.stringify(rest).slice(0, -1)},"turns":[${texts.join(",")}]}`;
}

/** A session without turns may still have something before the first. */
function refuseEmptyRange(from: number, total: number): void {
  if (from <= Math.max(1, total)) return;
  throw new UserError("not-found", `there is no turn ${from}`, `the session has ${total}`);
}

function toServedTurn({ turn, items, costUsd, isPromptKept }: ShownTurn, limit: number): ServedTurn {
  const { messages, toolCalls: _calls, followUps: _followUps, locals: _locals, ...more } = turn;
  const { notices: _notices, orphanResults: _orphans, ...facts } = more;
  const models = [...new Set(messages.flatMap(({ model }) => model ?? []))];
  const { value, isCut } = cutTexts({ facts: { ...facts, models }, items: items.map(toServedItem) }, limit);
  return { turn: value.facts, items: value.items, costUsd, isPromptKept, isCut };
}

function toServedItem(item: TurnItem): ServedItem {
  if (item.kind !== "call") return item;
  const { input: _input, result: _result, resultData: _data, resultBlocks: _blocks, ...call } = item.call;
  return { ...item, call, view: viewTool(item.call) };
}
