import { readFileSync, type Stats } from "node:fs";
import { ToolError } from "./tool.js";

const MAX_BYTES = 20 * 1024 * 1024;

/** A picture or document, whole. */
export function readMedia(path: string, { size }: Stats): Buffer {
  if (size === 0) throw new ToolError(`${path} is empty.`);
  if (size > MAX_BYTES) throw new ToolError(`${path} is too large to be shown (${size} bytes).`);
  return readFileSync(path);
}
