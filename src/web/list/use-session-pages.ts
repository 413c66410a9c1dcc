import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ListedSession, SessionsAnswer } from "../../server/api/list.js";
import { type ApiError, ask, toApiError } from "../api.js";
import { useServerEvents } from "../server-events.js";

const PAGE = 100;
const SETTLE_MS = 400;

/** A long list; only visible pages are requested. */
export interface SessionPages {
  readonly total: number;
  /** Number of sessions without filter; undefined until it is known. */
  readonly found: number | undefined;
  /** The index is incomplete, so there may be more sessions. */
  readonly isIndexing: boolean;
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
  const loader = useMemo(() => new PageLoader(fields, setLoaded), [fields]);
  useEffect(() => {
    loader.want(0, 0);
    return () => loader.close();
  }, [loader]);
  useRefreshOnEvents(() => loader.refresh());

  return useMemo(
    () => ({
      total: loaded.answer?.total ?? 0,
      found: loaded.answer?.found,
      isIndexing: loaded.answer?.index.state === "syncing",
      failure: loaded.failure,
      at: (row) => loaded.pages.get(Math.floor(row / PAGE))?.[row % PAGE],
      want: (first, last) => loader.want(first, last),
      refresh: () => loader.refresh(),
    }),
    [loaded, loader],
  );
}

/** Requests each visible page once. A refresh waits for all pending answers: frequent events would otherwise never let one finish. */
class PageLoader {
  readonly #fields: string;
  readonly #onLoaded: (change: (old: Loaded) => Loaded) => void;
  readonly #closing = new AbortController();
  readonly #asked = new Set<number>();
  #inSight: readonly [first: number, last: number] = [0, 0];
  #running = 0;
  #isOutdated = false;

  constructor(fields: string, onLoaded: (change: (old: Loaded) => Loaded) => void) {
    this.#fields = fields;
    this.#onLoaded = onLoaded;
  }

  want(first: number, last: number): void {
    this.#inSight = [first, last];
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) void this.#load(page);
  }

  refresh(): void {
    this.#isOutdated = this.#running > 0;
    if (this.#isOutdated) return;
    this.#asked.clear();
    this.want(...this.#inSight);
  }

  close(): void {
    this.#closing.abort();
  }

  async #load(page: number): Promise<void> {
    if (this.#asked.has(page)) return;
    this.#asked.add(page);
    this.#running += 1;
    const { signal } = this.#closing;
    const path = `/api/sessions?${this.#fields}&offset=${page * PAGE}&limit=${PAGE}`;
    const take = await ask<SessionsAnswer>(path, signal).then(
      (answer) => (old: Loaded) => withPage(old, this.#fields, page, answer),
      (error: unknown) => (old: Loaded) => ({ ...old, failure: toApiError(error) }),
    );
    if (signal.aborted) return;
    this.#onLoaded(take);
    this.#running -= 1;
    if (this.#isOutdated) this.refresh();
  }
}

/** Pages of the previous filter stay until the first page of the new one arrives. */
function withPage(old: Loaded, fields: string, page: number, answer: SessionsAnswer): Loaded {
  const isSame = old.fields === fields && old.answer?.total === answer.total;
  const pages = new Map(isSame ? old.pages : []).set(page, answer.sessions);
  return { fields, pages, answer, failure: undefined };
}

/** At most every `SETTLE_MS`: an event comes for every line that is written. */
function useRefreshOnEvents(refresh: () => void): void {
  const timer = useRef(0);
  const latest = useRef(refresh); // the filter may change before the timer fires
  latest.current = refresh;
  useServerEvents(() => {
    if (timer.current !== 0) return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      latest.current();
    }, SETTLE_MS);
  });
}

interface Painted {
  readonly pages: SessionPages;
  readonly offsets: Float64Array;
}

/** Scrolls to the row of the open session, unless the user scrolls before its position is known. */
export function useRevealedRow(
  box: { readonly current: HTMLElement | null },
  current: string | null,
  { pages, offsets }: Painted,
  look: () => void,
): () => void {
  const revealed = useRef<string | null>(null);
  useEffect(() => {
    const element = box.current;
    if (!element || current === null || revealed.current === current) return;
    const row = findRow(pages, current);
    if (row === undefined) return;
    revealed.current = current;
    const [top, bottom] = [offsets[row] ?? 0, offsets[row + 1] ?? 0];
    const isInSight = top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight;
    if (!isInSight) element.scrollTop = top - (element.clientHeight - (bottom - top)) / 2;
  }, [current, pages, offsets]);
  return () => {
    revealed.current = current;
    look();
  };
}

function findRow(pages: SessionPages, id: string): number | undefined {
  for (let row = 0; row < pages.total; row += 1) if (pages.at(row)?.id === id) return row;
  return undefined;
}
