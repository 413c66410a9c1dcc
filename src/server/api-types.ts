import type { SessionSummary } from "../library/session-summary.js";
import type { Block } from "../library/stats/blocks.js";
import type { Stats } from "../library/stats/compute-stats.js";
import type { Spent } from "../library/stats/tally.js";
import type { ShownHeader } from "../render/shown-session.js";
import type { ToolView } from "../render/tools/tool-view.js";
import type { TurnItem } from "../render/turn-items.js";
import type { Turn } from "../session/build-turn.js";
import type { Warning } from "../session/facts.js";
import type { DeadBranch, Totals } from "../session/outline.js";
import type { ToolCall } from "../session/pair-tool-calls.js";
import type { TextKind } from "../session/search-texts.js";
import type { FileSummary } from "../session/sum-files.js";
import type { ToolStatus } from "../session/tool-status.js";
import type { Usage } from "../session/usage.js";

/** What every request that fails is answered with. */
export interface ApiFailure {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null };
}

/** `GET /api/start`: what the page asks for first. */
export interface StartAnswer {
  readonly version: string;
  readonly pid: number;
  /** Goes with every POST, in the header `x-turnlog-token`. */
  readonly changeToken: string;
  readonly roots: readonly string[];
  readonly isDemo: boolean;
  /** How somebody without sessions looks at the demo library. */
  readonly demoCommand: string;
  readonly exportFormats: readonly string[];
  readonly index: IndexState;
}

export interface IndexState {
  readonly state: "syncing" | "ready";
  readonly files: number;
  readonly filesDone: number;
  readonly bytes: number;
  readonly bytesDone: number;
}

/** `GET /api/sessions`. Titles and notes are masked, as everything is that is not asked for by `reveal`. */
export interface SessionsAnswer {
  readonly sessions: readonly ListedSession[];
  /** How many match the filters. */
  readonly total: number;
  readonly offset: number;
  /** How many there are, whatever the filters say. */
  readonly found: number;
  readonly index: IndexState;
}

export interface ListedSession extends SessionSummary {
  /** It was written to a moment ago. */
  readonly live: boolean;
}

/** By what sessions are sorted: the latest, the most or the first of the alphabet first. */
export type SessionOrder =
  | "activity"
  | "started"
  | "title"
  | "project"
  | "turns"
  | "tools"
  | "errors"
  | "tokens"
  | "cost"
  | "size";

/** `GET /api/facets`: what filters may choose among, the most used first. */
export interface FacetsAnswer {
  readonly projects: readonly Facet[];
  readonly models: readonly Facet[];
  readonly tools: readonly Facet[];
  readonly gitBranches: readonly Facet[];
  readonly tags: readonly Facet[];
  readonly sources: readonly Facet[];
}

export interface Facet {
  readonly name: string;
  readonly sessions: number;
  readonly lastAt: string | null;
}

/** `GET /api/sessions/:id`: everything but the texts. `?branch=` the same along a rewound branch, `?from=` later turns alone. */
export interface SessionAnswer {
  readonly header: ServedHeader;
  readonly totals: Totals;
  readonly live: boolean;
  readonly sizeBytes: number;
  /** Grows with the file: the same version has the same turns. */
  readonly version: number;
  readonly turns: readonly OutlineTurn[];
  readonly compactions: readonly OutlineCompaction[];
  readonly branches: {
    readonly active: string | null;
    readonly shown: string | null;
    readonly dead: readonly OutlineBranch[];
  };
  readonly subagents: readonly ServedSubagent[];
  readonly warnings: readonly Warning[];
  /** How its client goes on with it; null where the folder is not known. */
  readonly resumeCommand: string | null;
}

export interface ServedHeader extends ShownHeader {
  readonly userTitle: string | null;
}

export interface OutlineTurn {
  readonly index: number; // 1-based
  readonly uuid: string | null;
  readonly line: number;
  readonly kind: Turn["kind"];
  readonly round: Turn["round"];
  readonly prompt: string; // its beginning
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly complete: boolean;
  readonly interrupted: boolean;
  readonly calls: readonly OutlineCall[];
  readonly apiErrors: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
}

export interface OutlineCall {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly startedAt: number | null; // ms since the epoch
  readonly endedAt: number | null;
}

export interface OutlineCompaction {
  readonly turn: number; // 0: before the first
  readonly line: number;
  readonly at: string | null;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
}

export interface OutlineBranch extends DeadBranch {
  /** So many turns it begins with are those of the active branch; null where that was not looked for. */
  readonly sharedTurns: number | null;
}

export interface ServedSubagent {
  readonly agentId: string;
  readonly toolUseId: string | null;
  readonly turn: number | null; // in which it was launched
  readonly type: string | null;
  readonly description: string | null;
  readonly warmup: boolean;
  readonly totals: Totals;
}

/** `GET /api/sessions/:id/turns?from=&to=&branch=`, and the same of a sub-agent. */
export interface TurnsAnswer {
  readonly total: number;
  readonly from: number;
  /** The last turn that is given: fewer than asked for when they are long. */
  readonly to: number;
  readonly version: number;
  /** What stands before the first turn; empty unless that one is asked for. */
  readonly preamble: readonly ServedItem[];
  readonly turns: readonly ServedTurn[];
}

export interface ServedTurn {
  readonly turn: ServedTurnFacts;
  readonly items: readonly ServedItem[];
  readonly costUsd: number | null;
  readonly isPromptKept: boolean;
  /** Long texts were shortened: `&whole=1` gives them. */
  readonly isCut: boolean;
}

/** A turn without what its items say. */
export type ServedTurnFacts = Omit<
  Turn,
  "messages" | "toolCalls" | "followUps" | "locals" | "notices" | "orphanResults"
> & { readonly models: readonly string[] };

export type ServedItem =
  | Exclude<TurnItem, { readonly kind: "call" }>
  | (Omit<Extract<TurnItem, { readonly kind: "call" }>, "call"> & {
      readonly call: ServedCall;
      readonly view: ToolView;
    });

/** A tool call without input and result, which its view shows. */
export type ServedCall = Omit<ToolCall, "input" | "result" | "resultData" | "resultBlocks">;

/** `POST /api/sessions/:id/reveal`: turns, or a raw record, without masks. */
export type RevealRequest =
  | {
      readonly from: number;
      readonly to: number;
      readonly branch?: string | undefined;
      readonly agentId?: string | undefined;
    }
  | { readonly line: number; readonly agentId?: string | undefined };

/** `GET /api/sessions/:id/raw?line=`. */
export interface RawAnswer {
  readonly line: number;
  /** Several where lines were glued together. */
  readonly records: readonly RawRecord[];
  readonly isCut: boolean;
}

export interface RawRecord {
  readonly kind: string;
  readonly raw: unknown; // the text of a broken line
}

/** `GET /api/sessions/:id/context`: what filled the window, turn by turn. */
export interface ContextAnswer {
  readonly points: readonly ContextPoint[];
}

/** Parts are estimates from the length of texts, brought to the recorded figure where there is one. */
export interface ContextPoint {
  readonly turn: number;
  readonly at: string | null;
  /** What the API counted at the end of the turn. */
  readonly recordedTokens: number | null;
  /** System prompt, tools and all else that no record holds. */
  readonly system: number;
  readonly prompts: number;
  readonly answers: number;
  readonly thinking: number; // of this turn alone: the API drops older ones
  readonly toolInputs: number;
  readonly toolResults: Readonly<Record<string, number>>;
  readonly summary: number; // of the compaction before
  /** Of the results: files that were read before in the same window. */
  readonly readAgain: number;
  readonly compaction: { readonly preTokens: number | null; readonly postTokens: number | null } | null;
}

/** `GET /api/search?q=`: hits by session, the best first. */
export interface SearchAnswerGroups {
  readonly groups: readonly SearchGroup[];
  readonly truncated: boolean;
  /** What was looked for, once the typed filters are taken out. */
  readonly text: string;
  /** The filters that were typed, as chips. */
  readonly typed: readonly TypedFilter[];
  readonly index: IndexState;
}

export interface TypedFilter {
  readonly name: string;
  readonly value: string;
}

export interface SearchGroup {
  readonly sessionId: string;
  readonly title: string;
  readonly project: string | null;
  readonly hits: readonly ServedHit[];
}

export interface ServedHit {
  readonly turn: number | null;
  readonly line: number;
  readonly kind: TextKind;
  readonly tool: string | null;
  readonly toolUseId: string | null;
  readonly agentId: string | null;
  readonly timestamp: string | null;
  readonly prompt: string | null;
  readonly snippet: string;
  /** Where in the snippet the matches are: start and end. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/** `GET /api/stats`. */
export interface StatsAnswer
  extends Pick<Stats, "from" | "to" | "timezone" | "totals" | "byDay" | "byModel" | "byProject" | "tools"> {
  readonly bySession: readonly Omit<Stats["bySession"][number], "path">[];
  /** What each model spent on each day. */
  readonly byDayAndModel: readonly ({ readonly day: string; readonly model: string | null } & Spent)[];
  /** From 0 to 1: the share of the input that came out of the cache; null without any. */
  readonly cacheHitRate: number | null;
  readonly blocks: readonly Block[];
  readonly dearestTurns: readonly DearTurn[];
}

export interface DearTurn {
  readonly sessionId: string;
  readonly title: string;
  readonly project: string | null;
  readonly turn: number;
  readonly at: string | null;
  readonly usage: Usage;
  readonly costUsd: number;
}

/** `GET /api/files?session=`. */
export interface FilesAnswer {
  readonly cwd: string | null;
  readonly files: readonly FileSummary[];
  /** What shell commands perhaps did. */
  readonly perhaps: readonly PerhapsTouched[];
}

export interface PerhapsTouched {
  readonly kind: string;
  readonly path: string;
  readonly to: string | null;
  readonly turn: number;
  readonly agentId: string | null;
  readonly command: string;
}

/** `GET /api/files/diff?session=`: one unified diff, and what keeps it from being the whole truth. */
export interface DiffAnswer {
  readonly diff: string;
  readonly notes: readonly string[];
  readonly isCut: boolean;
}

/** `GET /api/events`: each as one server-sent event, named by its kind. */
export type ServerEvent =
  | { readonly kind: "sessions"; readonly changes: readonly SessionChange[] }
  | { readonly kind: "index"; readonly index: IndexState }
  | { readonly kind: "marks"; readonly ids: readonly string[] }
  | { readonly kind: "trash" };

export interface SessionChange {
  readonly id: string;
  /** Set when a sub-agent's file changed. */
  readonly agentId: string | null;
  readonly change: "created" | "appended" | "rewritten" | "gone";
}
