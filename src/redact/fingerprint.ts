/** Tells equal secrets from different ones without showing them; a weak password could still be guessed from it. */
export function fingerprint(secret: string): string {
  return hash(secret, 0x811c9dc5) + hash(secret, 0x1b873593);
}

// FNV-1a with a final mix. Not node:crypto, because the page uses the redactor too.
function hash(text: string, seed: number): string {
  let value = seed;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, "0");
}
