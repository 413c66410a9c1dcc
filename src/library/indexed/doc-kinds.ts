import type { TextKind } from "../../session/search-texts.js";

/** The lowest digit of a document's number tells its kind, so that a kind is chosen without looking at the document. */
export const KINDS: readonly TextKind[] = [
  "prompt",
  "answer",
  "thinking",
  "command",
  "toolInput",
  "toolOutput",
  "title",
  "file",
  "context",
];
export const KIND_STEP = 16;

export function kindOf(docId: number): TextKind {
  return KINDS[docId % KIND_STEP] ?? "context";
}
