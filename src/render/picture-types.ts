/** First bytes of each image type. SVG is missing on purpose: it may contain scripts. */
const SIGNATURES: ReadonlyMap<string, readonly RegExp[]> = new Map([
  ["image/png", [/^\x89PNG\r\n\x1a\n/]],
  ["image/jpeg", [/^\xff\xd8\xff/]],
  ["image/gif", [/^GIF8[79]a/]],
  ["image/webp", [/^RIFF.{4}WEBP/s]],
  ["image/bmp", [/^BM/]],
  ["image/avif", [/^.{4}ftypavi[fs]/s]],
]);

const HEAD = 64; // characters of Base64

/** Whether the bytes are those of a picture that readers show and that runs nothing. */
export function isPicture(mediaType: string, base64: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  const head = atob(base64.slice(0, Math.min(HEAD, base64.length & ~3)));
  return SIGNATURES.get(mediaType)?.some((signature) => signature.test(head)) ?? false;
}
