import { ToolError, type ToolOutcome } from "../tool.js";
import type { JudgedFile } from "./judged-file.js";

/** The API rejects more than 5 MB in base64, and then every later request of the conversation. */
const MAX_BYTES = (5 * 1024 * 1024 * 3) / 4;
const MAX_PIXELS = 8_000; // in width or height

/** An image for the model, if the API accepts it. */
export function readImage(file: JudgedFile): ToolOutcome {
  const { path } = file;
  const { size } = file.stats;
  if (size === 0) throw new ToolError(`${path} is empty.`);
  if (size > MAX_BYTES)
    throw new ToolError(
      `${path} is too large to be shown (${size} bytes, at most ${MAX_BYTES}). Make it smaller first.`,
    );
  const bytes = file.readAll();
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

export interface ImageFacts {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/** Type and size of an image from its bytes; undefined: not one of the four types that the API accepts. */
export function imageFacts(bytes: Buffer): ImageFacts | undefined {
  const read = [readPng, readGif, readJpeg, readWebp];
  try {
    return read.map((readOne) => readOne(bytes)).find((facts) => facts !== undefined);
  } catch {
    return undefined; // truncated
  }
}

const isAt = (bytes: Buffer, at: number, text: string) => bytes.toString("latin1", at, at + text.length) === text;

function readPng(bytes: Buffer): ImageFacts | undefined {
  if (!isAt(bytes, 0, "\x89PNG\r\n\x1a\n") || !isAt(bytes, 12, "IHDR")) return undefined;
  return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageFacts | undefined {
  if (!isAt(bytes, 0, "GIF87a") && !isAt(bytes, 0, "GIF89a")) return undefined;
  return { mediaType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** The size is in the first "start of frame" segment. */
function readJpeg(bytes: Buffer): ImageFacts | undefined {
  if (!isAt(bytes, 0, "\xff\xd8")) return undefined;
  for (let at = 2; bytes[at] === 0xff; ) {
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return { mediaType: "image/jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebp(bytes: Buffer): ImageFacts | undefined {
  if (!isAt(bytes, 0, "RIFF") || !isAt(bytes, 8, "WEBP")) return undefined;
  const mediaType = "image/webp";
  if (isAt(bytes, 12, "VP8X"))
    return { mediaType, width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (isAt(bytes, 12, "VP8L")) {
    const bits = bytes.readUInt32LE(21);
    return { mediaType, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  if (!isAt(bytes, 12, "VP8 ")) return undefined;
  return { mediaType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
