const NUL = 0x00;
const TAB = 0x09;
const CR = 0x0d;
const SPACE = 0x20;

/** Sets aside what editors and crashes leave around a record: CR, blanks, runs of NUL. */
export function trimFiller(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  let from = start;
  let to = end;
  while (from < to && isFiller(bytes[from])) from += 1;
  while (to > from && isFiller(bytes[to - 1])) to -= 1;
  return { start: from, end: to };
}

function isFiller(byte: number | undefined): boolean {
  return byte === SPACE || byte === CR || byte === TAB || byte === NUL;
}
