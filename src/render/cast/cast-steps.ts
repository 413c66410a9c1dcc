/** What a recorded terminal prints, and how long it waits before. */
export interface CastStep {
  readonly pause: number; // seconds, as in life
  readonly text: string;
}

const KEY_SECONDS = 0.035;
const WORD_SECONDS = 0.03;
/** Nobody watches a page being typed. */
const LONGEST_TYPING = 6; // seconds
const LONGEST_STREAM = 5; // seconds

/** Key by key; colours are no keys. */
export function* typed(text: string): Generator<CastStep> {
  const keys = [...toTerminal(text).matchAll(/\u001b\[[\d;]*m|\r\n|[^\u001b\r]+/g)].flatMap(([part]) =>
    /^[\u001b\r]/.test(part) ? [part] : [...new Intl.Segmenter().segment(part)].map(({ segment }) => segment),
  );
  const pause = Math.min(KEY_SECONDS, LONGEST_TYPING / keys.length);
  for (const key of keys) yield { pause: key.startsWith("\u001b") ? 0 : pause, text: key };
}

/** Word by word, as a model answers. */
export function* streamed(text: string): Generator<CastStep> {
  const words = toTerminal(text).match(/\s*\S+|\s+$/g) ?? [];
  const pause = Math.min(WORD_SECONDS, LONGEST_STREAM / words.length);
  for (const word of words) yield { pause, text: word };
}

/** At once. */
export function printed(text: string, pause = 0): CastStep {
  return { pause, text: toTerminal(text) };
}

/** A line that is printed instead of the unfinished one. */
export function reprinted(line: string, pause: number): CastStep {
  return { pause, text: `\r\u001b[K${toTerminal(line)}` };
}

/** A terminal does not return to the first column by itself. */
function toTerminal(text: string): string {
  return text.replaceAll("\n", "\r\n");
}

export interface TimedOutput {
  readonly at: number; // seconds since the beginning
  readonly text: string;
}

/** No eye sees what is shown for less. */
const SHORTEST_SECONDS = 1 / 30;
/** What stands at the end is read. */
const LAST_SECONDS = 2;

/** Steps on the clock of the recording: `speed` times faster than life, and joined where they follow too fast. */
export function* timeSteps(steps: Iterable<CastStep>, speed: number): Generator<TimedOutput> {
  let now = 0;
  let waiting: TimedOutput | undefined;
  for (const { pause, text } of steps) {
    now += pause / speed;
    if (waiting && now - waiting.at >= SHORTEST_SECONDS) {
      yield waiting;
      waiting = undefined;
    }
    waiting = { at: waiting?.at ?? now, text: (waiting?.text ?? "") + text };
  }
  if (waiting) yield waiting;
  yield { at: now + LAST_SECONDS, text: "" };
}
