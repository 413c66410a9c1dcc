/** The API scales larger images down to about this; what stands around an image takes something too. */
const [MIN_IMAGE_TOKENS, MAX_IMAGE_TOKENS] = [60, 1600];
const PIXELS_PER_TOKEN = 750;
/** Where the size is not known. */
const USUAL_IMAGE_TOKENS = 1500;
const TINY = 1000; // characters
/** The API reads a page as text and as an image. */
const TOKENS_PER_PAGE = 2500;
const BYTES_PER_PAGE = 50_000;

/** What an image or a PDF in base64 costs; undefined for text. */
export function mediaTokens(data: string): number | undefined {
  if (data.startsWith("JVBERi")) return TOKENS_PER_PAGE * countPages(Buffer.from(data, "base64"));
  if (!/^[A-Za-z0-9+/=]*$/.test(data.slice(0, 200))) return undefined;
  const size = readSize(Buffer.from(data.slice(0, HEADER), "base64"));
  if (size === undefined) return data.length < TINY ? MIN_IMAGE_TOKENS : USUAL_IMAGE_TOKENS;
  const tokens = Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN);
  return Math.max(MIN_IMAGE_TOKENS, Math.min(MAX_IMAGE_TOKENS, tokens));
}

/** Characters of base64 in which the size of an image is found, behind what a camera notes. */
const HEADER = 120_000;

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

function readSize(bytes: Buffer): ImageSize | undefined {
  const magic = bytes.toString("latin1", 0, 16);
  if (magic.startsWith("\x89PNG") && bytes.length >= 24) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (magic.startsWith("GIF8") && bytes.length >= 10) {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (magic.startsWith("\xff\xd8")) return readJpegSize(bytes);
  return magic.startsWith("RIFF") && bytes.length >= 30 ? readWebpSize(bytes, magic.slice(12)) : undefined;
}

/** Segments follow each other, each with its length; one of the frame headers (C0 to CF but for tables) has the size. */
function readJpegSize(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebpSize(bytes: Buffer, kind: string): ImageSize | undefined {
  if (kind === "VP8X") return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (kind === "VP8 ") return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** Pages may be packed; then the size of the file must do. */
function countPages(pdf: Buffer): number {
  const pages = pdf.toString("latin1").match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
  return Math.max(1, pages > 0 ? pages : Math.round(pdf.length / BYTES_PER_PAGE));
}
