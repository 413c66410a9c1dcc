import type { InlineFile } from "../../format/content-block.js";
import { formatBytes } from "../format-values.js";
import { neutralize } from "../neutralize.js";

/** A picture that carries its bytes. What is no picture of a known kind is named, never handed to the browser. */
export function Picture({ mediaType, base64 }: InlineFile) {
  const size = formatBytes(Math.floor((base64.length * 3) / 4));
  const name = neutralize(mediaType);
  if (!isPicture(mediaType, base64)) return <p class="note">{`${name}, ${size}: cannot be shown`}</p>;
  return (
    <figure class="part">
      <img class="picture" src={`data:${mediaType};base64,${base64}`} alt={`${name}, ${size}`} loading="lazy" />
    </figure>
  );
}

/** How the bytes of each kind begin. SVG is not among them: it is a document that may hold programs. */
const SIGNATURES: ReadonlyMap<string, readonly RegExp[]> = new Map([
  ["image/png", [/^\x89PNG\r\n\x1a\n/]],
  ["image/jpeg", [/^\xff\xd8\xff/]],
  ["image/gif", [/^GIF8[79]a/]],
  ["image/webp", [/^RIFF.{4}WEBP/s]],
  ["image/bmp", [/^BM/]],
  ["image/avif", [/^.{4}ftypavi[fs]/s]],
]);

const HEAD = 64; // characters of Base64

function isPicture(mediaType: string, base64: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  const head = atob(base64.slice(0, Math.min(HEAD, base64.length & ~3)));
  return SIGNATURES.get(mediaType)?.some((signature) => signature.test(head)) ?? false;
}
