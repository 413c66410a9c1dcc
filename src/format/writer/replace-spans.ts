/** New text for the bytes in `[start, end)`. */
export interface SpanReplacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The bytes with some spans replaced, which are given in their order. */
export function replaceSpans(bytes: Buffer, replacements: readonly SpanReplacement[]): Buffer {
  if (replacements.length === 0) return bytes;
  const parts: Buffer[] = [];
  let done = 0;
  for (const { start, end, text } of replacements) {
    parts.push(bytes.subarray(done, start), Buffer.from(text));
    done = end;
  }
  return Buffer.concat([...parts, bytes.subarray(done)]);
}
