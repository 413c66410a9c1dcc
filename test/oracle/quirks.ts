import { readings } from "./readings.js";

/** A layout of which the corpus has no session. */
const INLINE_AGENTS = { quirk: "sub-agents-inline-1.x", file: "../crafted/inline-sub-agents.jsonl" };

/** One session for each quirk of the format, relative to the corpus; golden files show them all. */
export const QUIRKS: readonly { readonly quirk: string; readonly file: string }[] = [
  ...readings.map(({ quirk, file }) => ({ quirk, file })),
  INLINE_AGENTS,
];
