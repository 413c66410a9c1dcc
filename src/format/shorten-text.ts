const MAX_LINES = 2;
const MAX_CHARACTERS = 400;
const CUT = /\n\[turnlog cut \d+ characters\]$/;
const STUB = /^\[turnlog removed \d+ characters\]$/;

/** The first two lines and how much was cut; a text that this would not shorten, or has shortened before, as it is. */
export function truncateText(text: string): string {
  const known = CUT.exec(text);
  if (known && firstLines(text.slice(0, known.index)).length === known.index) return text;
  const kept = firstLines(text);
  const short = `${kept}\n[turnlog cut ${text.length - kept.length} characters]`;
  return short.length < text.length ? short : text;
}

/** Only how much there was. */
export function stubText(text: string): string {
  const stub = `[turnlog removed ${text.length} characters]`;
  return STUB.test(text) || stub.length >= text.length ? text : stub;
}

function firstLines(text: string): string {
  const kept = text.split("\n", MAX_LINES).join("\n").slice(0, MAX_CHARACTERS);
  const isSplitPair = kept.length < text.length && /[\uD800-\uDBFF]$/.test(kept);
  return isSplitPair ? kept.slice(0, -1) : kept;
}
