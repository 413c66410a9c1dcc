import fc from "fast-check";

const LF = "\n";
const BYTE_ORDER_MARK = "\ufeff";

/** One thing that can happen to a file; `at` and `span` are fractions of its size. */
type Damage = (bytes: Buffer, at: number, span: number) => Buffer;

const replaceWith =
  (text: string): Damage =>
  (bytes, at, span) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(text, "latin1"), bytes.subarray(at + span)]);

const DAMAGES: readonly Damage[] = [
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at, span) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + span)]),
  (bytes, at, span) => Buffer.concat([bytes.subarray(0, at + span), bytes.subarray(at)]),
  (bytes, at, span) => Buffer.concat([bytes.subarray(at, at + span), bytes.subarray(0, at), bytes.subarray(at + span)]),
  (bytes, at, span) => Buffer.from(bytes).fill(0, at, Math.min(at + span, bytes.length)),
  (bytes) => Buffer.from(bytes.toString("latin1").replaceAll(LF, "\r\n"), "latin1"),
  (bytes) => Buffer.concat([Buffer.from(BYTE_ORDER_MARK), bytes]),
  (bytes) => Buffer.from(bytes.toString("latin1").replace(LF, ""), "latin1"),
  replaceWith("\u00ff\u00fe\u0080"),
  replaceWith("}{"),
  replaceWith('"'),
  replaceWith("\\"),
  replaceWith(LF),
  replaceWith("\0".repeat(100)),
];

/** The given bytes after one to four accidents. */
export function damaged(original: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const damage = fc.tuple(fc.constantFrom(...DAMAGES), fc.nat(1000), fc.nat(100));
  return fc.tuple(original, fc.array(damage, { minLength: 1, maxLength: 4 })).map(([bytes, damages]) =>
    damages.reduce((damagedBytes, [apply, at, span]) => {
      const start = Math.floor((damagedBytes.length * at) / 1000);
      return apply(damagedBytes, start, Math.floor((damagedBytes.length * span) / 1000));
    }, bytes),
  );
}
