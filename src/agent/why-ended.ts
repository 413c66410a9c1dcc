import type { TurnResult } from "./chat.js";

/** Why a turn ended before the model was done; undefined: it was. */
export function whyEnded(end: TurnResult["end"]): string | undefined {
  return REASONS[end];
}

const REASONS: Readonly<Record<TurnResult["end"], string | undefined>> = {
  done: undefined,
  "api-error": "the API gave no answer",
  blocked: "a hook kept the prompt back",
  refusal: "the model refused to go on",
  "cut-off": "the answer came to no end: it reached the output limit, or paused, again and again",
  repeated: "the model made the same call again and again, so it was stopped",
  "max-turns": "stopped after as many answers as are allowed",
  "max-cost": "stopped, as the limit of cost is reached",
  interrupted: "interrupted",
};
