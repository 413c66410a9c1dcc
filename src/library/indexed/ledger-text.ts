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

export function* unpackMessages(packed: PackedSpans): Generator<MessageSpan> {
  const { isMore, next, nextName } = unpack(packed);
  while (isMore()) {
    const slot = next();
    const start = startOf(slot);
    yield {
      slot,
      first: start + next(),
      last: start + next(),
      model: nextName(),
      speed: nextName(),
      gitBranch: nextName(),
      messages: next(),
      unknownOutputs: next(),
      usage: {
        input: next(),
        output: next(),
        cacheRead: next(),
        cacheWrite5m: next(),
        cacheWrite1h: next(),
        webSearches: next(),
        webFetches: next(),
      },
    };
  }
}

export function packCalls(spans: readonly CallSpan[]): string {
  return pack((name, add) => {
    for (const { slot, tool, calls, errors, durations } of spans) {
      add(slot, name(tool), calls, errors, durations.length, ...durations);
    }
  });
}

export function* unpackCalls(packed: PackedSpans): Generator<CallSpan> {
  const { isMore, next, nextName, nextList } = unpack(packed);
  while (isMore()) {
    const slot = next();
    const tool = nextName() ?? "";
    yield { slot, tool, calls: next(), errors: next(), durations: nextList(next()) };
  }
}

export function packTurns(spans: readonly TurnSpan[]): string {
  return pack((name, add) => {
    for (const { slot, gitBranch, turns, activeMs } of spans) add(slot, name(gitBranch), turns, activeMs);
  });
}

export function* unpackTurns(packed: PackedSpans): Generator<TurnSpan> {
  const { isMore, next, nextName } = unpack(packed);
  while (isMore()) yield { slot: next(), gitBranch: nextName(), turns: next(), activeMs: next() };
}

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

function unpack([names, numbers]: PackedSpans) {
  let at = 0;
  const next = () => numbers[at++] ?? 0;
  return {
    isMore: () => at < numbers.length,
    next,
    nextName: () => names[next()] ?? null,
    nextList(length: number) {
      at += length;
      return numbers.slice(at - length, at);
    },
  };
}
