import type { ApiBlock, ApiMessage } from "../../format/record/api-message.js";

/** A tool call of the model. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface LoopAnswer {
  readonly blocks: readonly ApiBlock[];
  readonly calls: readonly Call[];
  /** Calls that the output limit cut: they get a result, but never run. */
  readonly cutCalls: readonly Call[];
  /** Null: it was aborted. */
  readonly stopReason: string | null;
}

/** Used as stop reason when the API rejected the request as too long. */
export const TOO_LONG = "too-long";
/** Used as stop reason when the API returned no answer. */
export const NO_ANSWER = "no-answer";

/** What the loop needs from its environment. Everything it receives is already recorded. */
export interface LoopWorld {
  /** Frees context when it is nearly full; `isFull`: the API reported it. */
  makeRoom(messages: readonly ApiMessage[], isFull: boolean): Promise<readonly ApiMessage[]>;
  ask(messages: readonly ApiMessage[]): Promise<LoopAnswer>;
  /** One result per call, in order; never rejects. */
  runCalls(calls: readonly Call[]): Promise<readonly ApiBlock[]>;
  /** Called when the model repeats a call; false ends the turn. */
  mayRepeat(call: Call): Promise<boolean>;
  /** Error results for calls that are not run. */
  refuseCalls(calls: readonly Call[], reason: string): readonly ApiBlock[];
  /** Messages queued meanwhile. */
  takeFollowUps(): readonly ApiBlock[];
  /** Content that prevents the end of the turn; empty: it ends. */
  beforeEnd(): Promise<readonly ApiBlock[]>;
  /** Injects a message to the model. */
  nudge(text: string): ApiBlock;
  readonly isInterrupted: boolean;
  /** The person refused a call. */
  readonly isRefused: boolean;
  /** Undefined: none yet. */
  readonly limitReached: "max-cost" | "max-tokens" | undefined;
}

export type LoopEnd =
  | "done"
  | "interrupted"
  | "refused" // by the person, who said no to a call
  | "max-turns"
  | "max-cost"
  | "max-tokens" // of all requests together
  | "refusal"
  | "api-error"
  | "cut-off" // the output limit or a pause, repeatedly
  | "repeated"; // the same call, repeatedly

export interface LoopResult {
  readonly end: LoopEnd;
  readonly messages: readonly ApiMessage[];
  readonly turns: number; // answers of the model
}

const MAX_NUDGES = 3;
const MAX_PAUSES = 20;
const MAX_EQUAL_CALLS = 3;

const CUT_OFF =
  "Your answer reached the output limit and was cut off. Go on exactly where it ended, without repeating anything. Split what is long into several smaller steps.";

const CUT_CALL = "The call was cut off by the output limit, so it was not run.";

/** Answer, calls, results, answer: until the model is done or the turn is stopped. */
export async function runLoop(
  world: LoopWorld,
  start: readonly ApiMessage[],
  { maxTurns = Number.POSITIVE_INFINITY }: { readonly maxTurns?: number | undefined } = {},
): Promise<LoopResult> {
  const repeats = new RepeatCounter();
  let messages = start;
  let nudges = 0;
  let pauses = 0;
  let isFull = false;
  for (let turns = 1; ; turns++) {
    const limit = world.limitReached;
    if (limit) return { end: limit, messages, turns: turns - 1 };
    messages = await world.makeRoom(messages, isFull);
    const { blocks, calls, cutCalls, stopReason } = await world.ask(messages);
    if (stopReason === NO_ANSWER) return { end: "api-error", messages, turns: turns - 1 };
    messages = append(messages, "assistant", blocks);
    const finish = (end: LoopEnd): LoopResult => ({ end, messages, turns });
    if (stopReason === null || (world.isInterrupted && calls.length === 0)) return finish("interrupted");
    isFull = stopReason === "model_context_window_exceeded" || stopReason === TOO_LONG;
    if (calls.length > 0) {
      const end = await answerCalls(calls, stopReason);
      if (end) return finish(end);
    } else if (stopReason === "max_tokens" || isFull) {
      nudges += 1;
      messages = append(messages, "user", world.refuseCalls(cutCalls, CUT_CALL));
      if (nudges > MAX_NUDGES) return finish(stopReason === TOO_LONG ? "api-error" : "cut-off");
      if (stopReason !== TOO_LONG) messages = append(messages, "user", [world.nudge(CUT_OFF)]);
    } else if (stopReason === "refusal") return finish("refusal");
    else if (stopReason === "pause_turn") {
      pauses += 1;
      if (pauses > MAX_PAUSES) return finish("cut-off");
    } else {
      const followUps = world.takeFollowUps();
      const more = followUps.length > 0 ? followUps : await world.beforeEnd();
      if (more.length === 0) return finish("done");
      messages = append(messages, "user", more);
    }
    if (turns >= maxTurns) return finish("max-turns");
  }

  async function answerCalls(calls: readonly Call[], stopReason: string): Promise<LoopEnd | undefined> {
    if (stopReason === "refusal") {
      messages = append(messages, "user", world.refuseCalls(calls, "The answer was broken off, so this was not run."));
      return "refusal";
    }
    const [repeated] = calls.filter((call) => repeats.count(call) >= MAX_EQUAL_CALLS);
    const isStuck = repeated !== undefined && !(await world.mayRepeat(repeated));
    const results = isStuck
      ? world.refuseCalls(calls, "The same call was made three times in a row, so it was stopped.")
      : await world.runCalls(calls);
    messages = append(messages, "user", results);
    if (world.isInterrupted) return "interrupted";
    if (world.isRefused) return "refused";
    if (isStuck) return "repeated";
    messages = append(messages, "user", world.takeFollowUps());
    return undefined;
  }
}

/** Adds content; consecutive content of one role becomes one message, as the API requires. */
export function append(
  messages: readonly ApiMessage[],
  role: ApiMessage["role"],
  content: readonly ApiBlock[],
): readonly ApiMessage[] {
  if (content.length === 0) return messages;
  const last = messages.at(-1);
  if (last?.role === role) return [...messages.slice(0, -1), { role, content: [...last.content, ...content] }];
  const settled = last?.role === "assistant" ? withoutOpenServerCalls(last.content) : last?.content;
  if (settled === last?.content) return [...messages, { role, content }];
  const before = messages.slice(0, -1);
  return append(settled?.length ? [...before, { role: "assistant", content: settled }] : before, role, content);
}

/** Drops server tool calls of a paused answer, which get no result once a user message follows. Replay does the same. */
function withoutOpenServerCalls(content: readonly ApiBlock[]): readonly ApiBlock[] {
  const answered = new Set(content.map((block) => block["tool_use_id"]));
  const isOpen = (block: ApiBlock) => block.type === "server_tool_use" && !answered.has(block["id"]);
  return content.some(isOpen) ? content.filter((block) => !isOpen(block)) : content;
}

class RepeatCounter {
  #last = "";
  #count = 0;

  /** How often this exact call came in a row. */
  count({ name, input }: Call): number {
    const key = `${name} ${JSON.stringify(input)}`;
    this.#count = key === this.#last ? this.#count + 1 : 1;
    this.#last = key;
    return this.#count;
  }
}
