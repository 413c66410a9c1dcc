import { useEffect, useMemo, useState } from "preact/hooks";
import type { ServedItem, ServedTurn, TurnsAnswer } from "../../server/api-types.js";
import { type ApiError, ask, change } from "../api.js";
import { toApiError } from "../use-answer.js";

/** The turns in sight and some around them; what is far away is forgotten, so that memory does not grow. */
export interface TurnStore {
  readonly preamble: readonly ServedItem[];
  readonly failure: ApiError | undefined;
  at(turn: number): ServedTurn | undefined;
  want(first: number, last: number): void;
  /** Asks again for all from this one on. */
  refreshFrom(turn: number): void;
  reveal(turn: number): Promise<void>;
}

const MOST_KEPT = 60; // turns
const AT_ONCE = 12;

export function useTurnStore(id: string, branch: string | null, edition: number): TurnStore {
  const [, setVersion] = useState(0);
  const store = useMemo(
    () => createTurnStore(id, branch, edition, () => setVersion((before) => before + 1)),
    [id, branch, edition],
  );
  useEffect(() => () => store.close(), [store]);
  return store;
}

function createTurnStore(id: string, branch: string | null, _edition: number, onChange: () => void) {
  const base = `/api/sessions/${encodeURIComponent(id)}`;
  const turns = new Map<number, ServedTurn>();
  const stale = new Set<number>();
  const closing = new AbortController();
  let wanted: readonly [first: number, last: number] = [1, 0];
  let isAsking = false;
  let state: { preamble: readonly ServedItem[]; failure: ApiError | undefined } = { preamble: [], failure: undefined };

  function firstMissing(): number | undefined {
    for (let turn = wanted[0]; turn <= wanted[1]; turn += 1) if (!turns.has(turn) || stale.has(turn)) return turn;
    return undefined;
  }

  function take({ turns: found, preamble, from }: TurnsAnswer): void {
    for (const served of found) {
      turns.set(served.turn.index, served);
      stale.delete(served.turn.index);
    }
    state = { failure: undefined, preamble: from === 1 ? preamble : state.preamble };
    forgetFarTurns(turns, wanted);
    onChange();
  }

  async function load(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      for (let from = firstMissing(); from !== undefined; from = firstMissing()) {
        const to = Math.min(wanted[1], from + AT_ONCE - 1);
        const fields = new URLSearchParams({ from: `${from}`, to: `${to}`, ...(branch === null ? {} : { branch }) });
        const answer = await ask<TurnsAnswer>(`${base}/turns?${fields}`, closing.signal);
        take(answer);
        if (answer.turns.length === 0) break;
      }
    } catch (error) {
      if (!closing.signal.aborted) {
        state = { ...state, failure: toApiError(error) };
        onChange();
      }
    }
    isAsking = false;
  }

  return {
    get preamble() {
      return state.preamble;
    },
    get failure() {
      return state.failure;
    },
    at: (turn: number) => turns.get(turn),
    want(first: number, last: number) {
      wanted = [Math.max(1, first), last];
      if (state.failure === undefined && firstMissing() !== undefined) void load();
    },
    refreshFrom(turn: number) {
      for (const known of turns.keys()) if (known >= turn) stale.add(known);
      state = { ...state, failure: undefined };
      void load();
    },
    async reveal(turn: number) {
      const request = { from: turn, to: turn, ...(branch === null ? {} : { branch }) };
      take(await change<TurnsAnswer>(`${base}/reveal`, request));
    },
    close: () => closing.abort(),
  };
}

function forgetFarTurns(turns: Map<number, ServedTurn>, [first, last]: readonly [number, number]): void {
  if (turns.size <= MOST_KEPT) return;
  const distance = (turn: number) => Math.max(first - turn, turn - last, 0);
  const farthest = [...turns.keys()].sort((a, b) => distance(b) - distance(a));
  for (const turn of farthest.slice(0, turns.size - MOST_KEPT)) if (distance(turn) > 0) turns.delete(turn);
}
