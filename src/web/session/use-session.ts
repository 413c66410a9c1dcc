import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { SessionChange } from "../../server/api/events.js";
import type { OpeningAnswer, OutlineTurn, SessionAnswer, TurnsAnswer } from "../../server/api/session.js";
import { type ApiError, ask, toApiError } from "../api.js";
import { useServerEvents } from "../server-events.js";

export interface OpenedSession {
  readonly session: SessionAnswer | undefined;
  readonly failure: ApiError | undefined;
  /** The session file was deleted or moved. */
  readonly isGone: boolean;
  /** Increases when the session is loaded anew; turns loaded before are then invalid. */
  readonly edition: number;
  /** The first turns to show, so that they are rendered together with the session. */
  readonly first: TurnsAnswer | undefined;
  reload(): void;
}

/** The outline of a session: first around one turn, then in full; updated while its file grows. */
export function useSession(id: string, branch: string | null, turn: number | null): OpenedSession {
  const [session, setSession] = useState<SessionAnswer>();
  const [edition, setEdition] = useState(0);
  const [first, setFirst] = useState<TurnsAnswer>();
  const [isGone, setGone] = useState(false);
  const latest = useRef(session);

  const take = (answer: SessionAnswer) => {
    latest.current = answer;
    setSession(answer);
  };
  const open = async () => {
    const { session: part, turns } = await ask<OpeningAnswer>(openingPath(id, branch, turn));
    setGone(false);
    setFirst(turns);
    setEdition((before) => before + 1);
    const isWhole = part.turns.length === part.totals.conversation.turns;
    take(isWhole ? part : withPlaceholders(part));
    if (isWhole) return;
    await afterPaint();
    take(await ask<SessionAnswer>(outlinePath(id, branch)));
  };
  const grow = async () => {
    const known = latest.current;
    if (!known) return open();
    const answer = await ask<SessionAnswer>(outlinePath(id, branch, Math.max(1, known.turns.length)));
    if (isContinued(known, answer)) take(mergeGrowth(known, answer));
    else await open();
  };
  const { want, failure } = useQueue({ open, grow }, ({ code }) => code === "not-found" && setGone(true));

  useState(() => want("open")); // during the first render, not after it
  useServerEvents((event) => {
    if (event.kind === "connected") want(isGone ? "open" : "grow");
    if (event.kind === "marks" && event.ids.includes(id)) want("grow");
    if (event.kind === "index" && event.index.state === "ready" && latest.current?.live && !isGone) want("grow");
    if (event.kind !== "sessions") return;
    const changes = event.changes.filter((change) => change.id === id);
    if (changes.length === 0) return;
    const isNowGone = changes.findLast(({ agentId }) => agentId === null)?.change === "gone";
    setGone(isNowGone);
    if (!isNowGone) want(changes.some(isRewritten) || isGone ? "open" : "grow");
  });
  const shown = useMemo(() => (session && isGone ? { ...session, live: false } : session), [session, isGone]);
  return { session: shown, failure, isGone, edition, first, reload: () => want("open") };
}

type Work = "open" | "grow";

/** Runs one request at a time; requests made in the meantime are combined into one. */
function useQueue(works: Readonly<Record<Work, () => Promise<void>>>, onFailure: (failure: ApiError) => void) {
  const [failure, setFailure] = useState<ApiError>();
  const latest = useRef(works);
  latest.current = works;
  const state = useRef<{ isBusy: boolean; wanted: Work | undefined }>({ isBusy: false, wanted: undefined });

  const run = useCallback(async () => {
    const { current } = state;
    if (current.isBusy) return;
    current.isBusy = true;
    for (let next = current.wanted; next; next = current.wanted) {
      current.wanted = undefined;
      try {
        await latest.current[next]();
        setFailure(undefined);
      } catch (error) {
        setFailure(toApiError(error));
        onFailure(toApiError(error));
      }
    }
    current.isBusy = false;
  }, []);

  const want = useCallback((work: Work) => {
    if (state.current.wanted !== "open") state.current.wanted = work;
    void run();
  }, []);
  return { want, failure };
}

function isRewritten({ change, agentId }: SessionChange): boolean {
  return agentId === null && change === "rewritten";
}

/** Must equal the path in the preload header of the server. */
function openingPath(id: string, branch: string | null, turn: number | null): string {
  const fields = new URLSearchParams({ ...(turn === null ? {} : { turn: `${turn}` }), ...(branch ? { branch } : {}) });
  return `/api/sessions/${encodeURIComponent(id)}/opening?${fields}`;
}

function outlinePath(id: string, branch: string | null, from?: number): string {
  const fields = new URLSearchParams({
    ...(branch === null ? {} : { branch }),
    ...(from === undefined ? {} : { from: String(from) }),
  });
  return `/api/sessions/${encodeURIComponent(id)}?${fields}`;
}

/** Fills in placeholders for the turns that are not loaded yet. */
function withPlaceholders(answer: SessionAnswer): SessionAnswer {
  const first = answer.turns[0]?.index ?? 1;
  const at = (index: number) => answer.turns[index - first] ?? { ...PLACEHOLDER, index };
  return { ...answer, turns: Array.from({ length: answer.totals.conversation.turns }, (_, before) => at(before + 1)) };
}

const PLACEHOLDER: Omit<OutlineTurn, "index"> = {
  uuid: null,
  lastUuid: null,
  line: 0,
  kind: "prompt",
  round: "new_round",
  prompt: "…",
  startedAt: null,
  endedAt: null,
  complete: true,
  interrupted: false,
  calls: [],
  apiErrors: 0,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, webSearches: 0, webFetches: 0 },
  costUsd: null,
};

/** False after a rewind: other turns have replaced the known ones. */
function isContinued({ turns }: SessionAnswer, answer: SessionAnswer): boolean {
  const [last, again] = [turns.at(-1), answer.turns[0]];
  return last === undefined || (last.index === again?.index && last.line === again.line);
}

/** The answer starts with the last known turn, which may have grown. */
function mergeGrowth(known: SessionAnswer, answer: SessionAnswer): SessionAnswer {
  const first = answer.turns[0]?.index ?? 1;
  return { ...answer, turns: [...known.turns.slice(0, first - 1), ...answer.turns] };
}

const IDLE_MS = 1000;

/** Resolves when the browser is idle. */
export function whenIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(resolve, { timeout: IDLE_MS });
    else setTimeout(resolve, IDLE_MS);
  });
}

/** Resolves after the next paint; a hidden page is not painted, hence the timeout. */
function afterPaint(): Promise<unknown> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, IDLE_MS);
  });
}
