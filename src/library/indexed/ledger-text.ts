import { type CallSpan, type MessageSpan, NO_SLOT, SLOT_MS, type TurnSpan } from "./ledger.js";

/** Names once, then all numbers in one flat list: a library has hundreds of thousands of spans to parse. */
export type PackedSpans = readonly [names: readonly string[], numbers: readonly number[]];

export function packMessages(spans: readonly MessageSpan[]): string {
  return pack((name, add) => {
    for (const { slot, first, last, model, speed, gitBranch, messages, unknownOutputs, usage } of spans) {
      const start = startOf(slot);
      add(slot, first - start, last - start, name(model), name(speed), name(gitBranch), messages, unknownOutputs);
      add(usage.input, usage.output, usage.cacheRead, usage.cacheWrite5m, usage.cacheWrite1h);
      add(usage.webSearches, usage.webFetches);
    }
  });
}

export function unpackMessages([names, numbers]: PackedSpans): MessageSpan[] {
  const cell = (at: number) => numbers[at] ?? 0;
  const spans: MessageSpan[] = [];
  for (let at = 0; at < numbers.length; at += MESSAGE_NUMBERS) {
    const start = startOf(cell(at));
    spans.push({
      slot: cell(at),
      first: start + cell(at + 1),
      last: start + cell(at + 2),
      model: names[cell(at + 3)] ?? null,
      speed: names[cell(at + 4)] ?? null,
      gitBranch: names[cell(at + 5)] ?? null,
      messages: cell(at + 6),
      unknownOutputs: cell(at + 7),
      usage: {
        input: cell(at + 8),
        output: cell(at + 9),
        cacheRead: cell(at + 10),
        cacheWrite5m: cell(at + 11),
        cacheWrite1h: cell(at + 12),
        webSearches: cell(at + 13),
        webFetches: cell(at + 14),
      },
    });
  }
  return spans;
}

const MESSAGE_NUMBERS = 15;

export function packCalls(spans: readonly CallSpan[]): string {
  return pack((name, add) => {
    for (const { slot, tool, calls, errors, durations } of spans) {
      add(slot, name(tool), calls, errors, durations.length, ...durations);
    }
  });
}

export function unpackCalls([names, numbers]: PackedSpans): CallSpan[] {
  const cell = (at: number) => numbers[at] ?? 0;
  const spans: CallSpan[] = [];
  for (let at = 0; at < numbers.length; ) {
    const start = at + CALL_NUMBERS;
    const durations = numbers.slice(start, start + cell(at + 4));
    const tool = names[cell(at + 1)] ?? "";
    spans.push({ slot: cell(at), tool, calls: cell(at + 2), errors: cell(at + 3), durations });
    at = start + durations.length;
  }
  return spans;
}

const CALL_NUMBERS = 5; // and the durations

export function packTurns(spans: readonly TurnSpan[]): string {
  return pack((name, add) => {
    for (const { slot, gitBranch, turns, activeMs } of spans) add(slot, name(gitBranch), turns, activeMs);
  });
}

export function unpackTurns([names, numbers]: PackedSpans): TurnSpan[] {
  const cell = (at: number) => numbers[at] ?? 0;
  const spans: TurnSpan[] = [];
  for (let at = 0; at < numbers.length; at += TURN_NUMBERS) {
    const gitBranch = names[cell(at + 1)] ?? null;
    spans.push({ slot: cell(at), gitBranch, turns: cell(at + 2), activeMs: cell(at + 3) });
  }
  return spans;
}

const TURN_NUMBERS = 4;

function startOf(slot: number): number {
  return slot === NO_SLOT ? 0 : slot * SLOT_MS;
}

const NO_NAME = -1;

function pack(write: (name: (text: string | null) => number, add: (...numbers: number[]) => void) => void): string {
  const names: string[] = [];
  const numbers: number[] = [];
  const name = (text: string | null) => {
    if (text === null) return NO_NAME;
    const at = names.indexOf(text);
    return at >= 0 ? at : names.push(text) - 1;
  };
  write(name, (...more) => {
    for (const number of more) numbers.push(number);
  });
  return JSON.stringify([names, numbers] satisfies PackedSpans);
}
