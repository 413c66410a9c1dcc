import { hash } from "node:crypto";

/** What a session says is not kept where it need not be: words are compared by this. */
export function hashWords(words: string): string {
  return hash("sha256", words.trim(), "hex");
}
