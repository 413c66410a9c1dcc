export { type FoundSession, type FoundSessions, findSessions } from "./find-sessions.js";
export { listSessions, type SessionList } from "./list-sessions.js";
export type { Subagent } from "./list-subagents.js";
export { type LoadedSession, type LoadOptions, loadSession } from "./load-session.js";
export { resolveSession } from "./name-session.js";
export { scanTotals, type TokenTotals } from "./scan-totals.js";
export { type HitKind, type SearchHit, searchSessions } from "./search-sessions.js";
export { matchesFilter, parseMoment, type SessionFilter } from "./session-filter.js";
export type { SessionSummary } from "./session-summary.js";
