/** A piece of terminal output and the pause before it. */
export interface CastStep {
  readonly pause: number; // seconds, at speed 1
  readonly text: string;
}

const KEY_SECONDS = 0.035;
const WORD_SECONDS = 0.03;
const MAX_TYPING_SECONDS = 6;
const MAX_STREAM_SECONDS = 5;

/** Key by key; colour sequences take no time. */
export function* typed(text: string): Generator<CastStep> {
  const keys = [...toTerminal(text).matchAll(/\u001b\[[\d;]*m|\r\n|[^\u001b\r]+/g)].flatMap(([part]) =>
    /^[\u001b\r]/.test(part) ? [part] : [...new Intl.Segmenter().segment(part)].map(({ segment }) => segment),
  );
  const pause = Math.min(KEY_SECONDS, MAX_TYPING_SECONDS / keys.length);
  for (const key of keys) yield { pause: key.startsWith("\u001b") ? 0 : pause, text: key };
}

/** Word by word, as a model answers. */
export function* streamed(text: string): Generator<CastStep> {
  const words = toTerminal(text).match(/\s*\S+|\s+$/g) ?? [];
  const pause = Math.min(WORD_SECONDS, MAX_STREAM_SECONDS / words.length);
  for (const word of words) yield { pause, text: word };
}

/** At once. */
export function printed(text: string, pause = 0): CastStep {
  return { pause, text: toTerminal(text) };
}

/** Replaces the current line. */
export function reprinted(line: string, pause: number): CastStep {
  return { pause, text: `\r\u001b[K${toTerminal(line)}` };
}

/** A raw terminal needs a carriage return too. */
function toTerminal(text: string): string {
  return text.replaceAll("\n", "\r\n");
}

export interface TimedOutput {
  readonly at: number; // seconds since the beginning
  readonly text: string;
}

/** Shorter steps are joined: they would not be visible. */
const SHORTEST_SECONDS = 1 / 30;
/** Time to read the last screen. */
const LAST_SECONDS = 2;

/** Steps on the clock of the recording, `speed` times as fast; steps in quick succession are joined. */
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
