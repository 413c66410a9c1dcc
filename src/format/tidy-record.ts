import { isUtf8 } from "node:buffer";
import { tryParseJson } from "./json.js";
import { toWellFormed } from "./well-formed.js";

/** The bytes of a record without a byte order mark, NUL bytes or a carriage return around it, in whole characters. */
export function tidyRecord(bytes: Buffer): Buffer {
  const trimmed = bytes.subarray(bytes.indexOf("{"), bytes.lastIndexOf("}") + 1);
  const decoded = isUtf8(trimmed) ? trimmed : Buffer.from(trimmed.toString("utf8"));
  if (!/\\ud/i.test(decoded.toString("latin1"))) return decoded;
  const { value, wasChanged } = toWellFormed(tryParseJson(decoded.toString("utf8")));
  return wasChanged ? Buffer.from(JSON.stringify(value)) : decoded;
}
