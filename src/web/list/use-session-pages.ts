import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ListedSession, SessionsAnswer } from "../../server/api/sessions.js";
import type { IndexState } from "../../server/api/start.js";
import type { ApiError } from "../api.js";
import { ask } from "../api.js";
import { useServerEvents } from "../server-events.js";
import { toApiError } from "../use-answer.js";

const PAGE = 100;
const SETTLE_MS = 400;

/** A long list of which only the pages in sight are asked for. */
export interface SessionPages {
  readonly total: number;
  /** How many there are, whatever the filter says; undefined until that is known. */
  readonly found: number | undefined;
  readonly index: IndexState | undefined;
  readonly failure: ApiError | undefined;
  at(row: number): ListedSession | undefined;
  want(first: number, last: number): void;
  refresh(): void;
}

interface Loaded {
  readonly fields: string;
  readonly pages: ReadonlyMap<number, readonly ListedSession[]>;
  readonly answer: SessionsAnswer | undefined;
  readonly failure: ApiError | undefined;
}

export function useSessionPages(fields: string): SessionPages {
  const [loaded, setLoaded] = useState<Loaded>({ fields, pages: new Map(), answer: undefined, failure: undefined });
  const asked = useRef(new Set<number>());
  const inSight = useRef<readonly [first: number, last: number]>([0, 0]);
  const round = useRef(0);

  const load = useCallback(
    async (page: number) => {
      if (asked.current.has(page)) return;
      asked.current.add(page);
      const mine = round.current;
      try {
        const answer = await ask<SessionsAnswer>(`/api/sessions?${fields}&offset=${page * PAGE}&limit=${PAGE}`);
        if (mine === round.current) setLoaded((old) => withPage(old, fields, page, answer));
      } catch (error) {
        if (mine === round.current) setLoaded((old) => ({ ...old, failure: toApiError(error) }));
      }
    },
    [fields],
  );

  const refresh = useCallback(() => {
    round.current += 1;
    asked.current.clear();
    const [first, last] = inSight.current;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) void load(page);
  }, [load]);

  useEffect(() => {
    inSight.current = [0, 0];
    refresh();
  }, [refresh]);
  useRefreshOnEvents(refresh);

  return useMemo(
    () => ({
      total: loaded.answer?.total ?? 0,
      found: loaded.answer?.found,
      index: loaded.answer?.index,
      failure: loaded.failure,
      at: (row) => loaded.pages.get(Math.floor(row / PAGE))?.[row % PAGE],
      want(first, last) {
        inSight.current = [first, last];
        for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) void load(page);
      },
      refresh,
    }),
    [loaded, load, refresh],
  );
}

/** Pages of another filter go as soon as the first of this one is there. */
function withPage(old: Loaded, fields: string, page: number, answer: SessionsAnswer): Loaded {
  const isSame = old.fields === fields && old.answer?.total === answer.total;
  const pages = new Map(isSame ? old.pages : []).set(page, answer.sessions);
  return { fields, pages, answer, failure: undefined };
}

/** Not for every line that is written. */
function useRefreshOnEvents(refresh: () => void): void {
  const timer = useRef(0);
  const latest = useRef(refresh); // the filter may change meanwhile
  latest.current = refresh;
  useServerEvents(() => {
    if (timer.current !== 0) return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      latest.current();
    }, SETTLE_MS);
  });
}
