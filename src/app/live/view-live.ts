import { modelFacts } from "../../agent/model/model-facts.js";
import type { LiveFacts } from "../../library/live/live-files.js";
import { type LiveOptions, type LiveSession, openLive } from "../../library/live/look-at-live.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import type { Clean } from "../../redact/create-redactor.js";

/** A running session as it is shown; one line of `turnlog live --json`. */
export interface LiveRow extends Pick<LiveSession, "id" | "path" | "state" | "waitsFor" | "detail" | "source"> {
  readonly title: string | null;
  readonly project: string | null;
  readonly gitBranch: string | null;
  readonly since: string | null; // of the state
  readonly writtenAt: string | null;
  readonly lastLine: string | null;
  readonly process: {
    readonly pid: number;
    readonly certain: boolean;
    readonly kind: "foreground" | "background" | "chat";
    readonly startedAt: string | null;
  } | null;
  readonly model: string | null;
  readonly contextTokens: number | null;
  readonly contextWindow: number | null; // tokens, by the name of the model
  readonly totalCostUsd: number | null;
  readonly costPerMinuteUsd: number | null;
  /** Sub-agents at work. */
  readonly agents: readonly LiveAgentRow[];
}

interface LiveAgentRow {
  readonly agentId: string;
  readonly type: string | null;
  readonly description: string | null;
  readonly lastLine: string | null;
}

export interface LiveView {
  look(): LiveRow[];
  close(): void;
}

export interface LiveViewOptions extends Pick<LiveOptions, "roots" | "recentMs"> {
  readonly dataDir: string;
  readonly load: LoadOptions;
  /** What is shown passes it: texts of sessions may hold secrets. */
  readonly clean: Clean;
}

export function openLiveView({ clean, ...options }: LiveViewOptions): LiveView {
  const live = openLive(options);
  return { look: () => live.look().map((session) => toRow(session, clean)), close: () => live.close() };
}

function toRow({ facts, process, since, ...session }: LiveSession, clean: Clean): LiveRow {
  const { id, path, state, waitsFor, source } = session;
  const text = (value: string | null) => (value === null ? null : clean(value, "state"));
  return {
    ...{ id, path, state, waitsFor, source },
    detail: text(session.detail),
    title: text(facts?.title ?? null),
    project: text(facts?.project ?? null),
    gitBranch: text(facts?.gitBranch ?? null),
    since: isoTime(since),
    writtenAt: isoTime(facts?.writtenAt ?? null),
    lastLine: text(facts?.lastLine ?? null),
    process: process && {
      pid: process.pid,
      certain: process.isCertain,
      kind: process.kind,
      startedAt: isoTime(process.startedAt),
    },
    ...numbersOf(facts),
    agents: (facts?.agents ?? []).map(({ agentId, type, description, lastLine }) => {
      return { agentId, type: text(type), description: text(description), lastLine: text(lastLine) };
    }),
  };
}

function numbersOf(facts: LiveFacts | null) {
  const { model = null, contextTokens = null, totalCostUsd = null, costPerMinuteUsd = null } = facts ?? {};
  const usual = model === null ? null : modelFacts(model).contextWindow;
  // A request that does not fit shows that the window is larger than the name tells.
  const contextWindow = usual === null || (contextTokens ?? 0) <= usual ? usual : LARGE_WINDOW;
  return { model, contextTokens, contextWindow, totalCostUsd, costPerMinuteUsd };
}

const LARGE_WINDOW = 1_000_000;

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
