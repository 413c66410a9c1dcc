/** A message of protobuf without its schema: what stands at each field number, in order. */
export type Fields = ReadonlyMap<number, readonly Field[]>;
/** Bytes stand for text, bytes or a message: only the schema tells. */
export type Field = { readonly varint: bigint } | { readonly fixed64: bigint } | { readonly fixed32: number } | Bytes;
interface Bytes {
  readonly bytes: Buffer;
}

/** Written from the encoding's published description, so that no code is shared with what wrote the bytes. */
function decodeProtobuf(bytes: Buffer): Fields {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError("the bytes end within a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError("the bytes end within a field");
    at += length;
    return bytes.subarray(at - length, at);
  };
  const readField = (wireType: number): Field => {
    if (wireType === 0) return { varint: varint() };
    if (wireType === 1) return { fixed64: take(8).readBigUInt64LE() };
    if (wireType === 2) return { bytes: take(Number(varint())) };
    if (wireType === 5) return { fixed32: take(4).readUInt32LE() };
    throw new RangeError(`wire type ${wireType} is unknown`);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    const field = readField(Number(tag & 7n));
    fields.set(number, [...(fields.get(number) ?? []), field]);
  }
  return fields;
}

const bytesOf = (field: Field | undefined): Buffer => (field && "bytes" in field ? field.bytes : Buffer.alloc(0));
const all = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((field) => decodeProtobuf(bytesOf(field)));
const text = (fields: Fields, number: number): string => bytesOf(fields.get(number)?.[0]).toString("utf8");
const hex = (fields: Fields, number: number): string => bytesOf(fields.get(number)?.[0]).toString("hex");
const fixed64 = (fields: Fields, number: number): string => {
  const field = fields.get(number)?.[0];
  return field && "fixed64" in field ? `${field.fixed64}` : "0";
};
const int = (fields: Fields, number: number): number => {
  const field = fields.get(number)?.[0];
  return field && "varint" in field ? Number(BigInt.asIntN(64, field.varint)) : 0;
};

/** The spans of an ExportTraceServiceRequest, by the field numbers of opentelemetry-proto, in the shape of OTLP/JSON. */
export function decodeSpans(bytes: Buffer): unknown[] {
  return all(decodeProtobuf(bytes), 1)
    .flatMap((resourceSpans) => all(resourceSpans, 2))
    .flatMap((scopeSpans) => all(scopeSpans, 2))
    .map((span) => ({
      traceId: hex(span, 1),
      spanId: hex(span, 2),
      ...(span.has(4) ? { parentSpanId: hex(span, 4) } : {}),
      name: text(span, 5),
      kind: int(span, 6),
      startTimeUnixNano: fixed64(span, 7),
      endTimeUnixNano: fixed64(span, 8),
      attributes: all(span, 9).map(toAttribute),
      events: all(span, 11).map((event) => ({
        name: text(event, 2),
        timeUnixNano: fixed64(event, 1),
        attributes: all(event, 3).map(toAttribute),
      })),
      status: all(span, 15).map(toStatus)[0] ?? { code: 0 },
    }));
}

function toStatus(status: Fields): unknown {
  return { code: int(status, 3), ...(status.has(2) ? { message: text(status, 2) } : {}) };
}

function toAttribute(attribute: Fields): unknown {
  return { key: text(attribute, 1), value: all(attribute, 2).map(toValue)[0] };
}

function toValue(value: Fields): unknown {
  if (value.has(1)) return { stringValue: text(value, 1) };
  if (value.has(2)) return { boolValue: int(value, 2) === 1 };
  if (value.has(3)) return { intValue: `${int(value, 3)}` };
  if (value.has(4)) {
    const double = Buffer.alloc(8);
    double.writeBigUInt64LE(BigInt(fixed64(value, 4)));
    return { doubleValue: double.readDoubleLE() };
  }
  return { arrayValue: { values: all(value, 5).flatMap((list) => all(list, 1).map(toValue)) } };
}
