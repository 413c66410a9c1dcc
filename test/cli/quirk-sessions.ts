import { readings } from "../oracle/readings.js";

/** A layout of which the corpus has no session. */
const INLINE_AGENTS = { quirk: "sub-agents-inline-1.x", file: "../crafted/inline-sub-agents.jsonl" };

/** Sessions that every surface is proven with, one for each quirk; files are relative to the corpus. */
export const quirkSessions = [...readings.map(({ quirk, file }) => ({ quirk, file })), INLINE_AGENTS];
