import type { EditSource } from "../plans/edit-source.js";
import { type CompressLevel, type CompressOptions, chooseTurns } from "./choose-turns.js";
import { answerLines, promptLines, readTurn } from "./condense-turn.js";

/** One turn to be summarised: all that was said and done in it. */
export interface TurnText {
  readonly turn: number;
  readonly level: CompressLevel;
  readonly text: string;
}

/** Makes a summary of a turn; the caller chooses the model, and what it may see. */
export type Summarize = (part: TurnText) => Promise<string>;

export interface SummarizeLimits {
  readonly parallel: number;
  readonly attempts: number;
}

export interface TurnSummaries {
  readonly summaries: ReadonlyMap<number, string>;
  /** Turns of which nothing could be made, and why. */
  readonly failed: ReadonlyMap<number, string>;
}

/** The turns that a model would get; each is read when its time comes. */
export function* listTurnTexts(source: EditSource, options: CompressOptions): Generator<TurnText> {
  for (const { turn, level } of chooseTurns(source, options).turns) {
    if (level === "full") continue;
    const whole = readTurn(source, turn);
    yield { turn: turn.index, level, text: [...promptLines(whole), ...answerLines(whole, "full", false)].join("\n") };
  }
}

/** `parallel` at a time. A turn that fails every time is left to the caller. */
export async function summarizeTurns(
  parts: Iterable<TurnText>,
  summarize: Summarize,
  { parallel, attempts }: SummarizeLimits,
): Promise<TurnSummaries> {
  const summaries = new Map<number, string>();
  const failed = new Map<number, string>();
  const queue = parts[Symbol.iterator]();
  await Promise.all(Array.from({ length: parallel }, work));
  return { summaries, failed };

  async function work(): Promise<void> {
    for (let next = queue.next(); !next.done; next = queue.next()) await take(next.value);
  }

  async function take(part: TurnText): Promise<void> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      try {
        const text = (await summarize(part)).trim();
        if (text === "") throw new Error("the summary is empty");
        summaries.set(part.turn, text);
        failed.delete(part.turn);
        return;
      } catch (error) {
        failed.set(part.turn, error instanceof Error ? error.message : String(error));
      }
    }
  }
}
