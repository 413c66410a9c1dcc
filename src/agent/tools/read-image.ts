import { readFileSync, type Stats } from "node:fs";
import { imageFacts } from "./image-facts.js";
import { ToolError, type ToolOutcome } from "./tool.js";

/** The API refuses more, 5 MB in base64, and with it every later request of the conversation. */
const MAX_BYTES = (5 * 1024 * 1024 * 3) / 4;
const MAX_PIXELS = 8_000; // wide or high

/** A picture for the model to look at, if the API will take it. */
export function readImage(path: string, { size }: Stats): ToolOutcome {
  if (size === 0) throw new ToolError(`${path} is empty.`);
  if (size > MAX_BYTES)
    throw new ToolError(
      `${path} is too large to be shown (${size} bytes, at most ${MAX_BYTES}). Make it smaller first.`,
    );
  const bytes = readFileSync(path);
  const facts = imageFacts(bytes);
  if (!facts) throw new ToolError(`${path} is no PNG, JPEG, GIF or WebP image, whatever its name says.`);
  const { mediaType, width, height } = facts;
  if (width === 0 || height === 0 || Math.max(width, height) > MAX_PIXELS)
    throw new ToolError(
      `${path} cannot be shown: it has ${width} x ${height} pixels, at most ${MAX_PIXELS} each way. Make it smaller first.`,
    );
  const data = bytes.toString("base64");
  return {
    content: [{ type: "image", source: { type: "base64", media_type: mediaType, data } }],
    data: { type: "image", file: { base64: data, type: mediaType, originalSize: size } },
  };
}
