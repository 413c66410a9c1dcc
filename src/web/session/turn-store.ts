import { useEffect, useRef, useState } from "preact/hooks";
import type { ServedItem, ServedTurn, TurnsAnswer } from "../../server/api/turns.js";
import { type ApiError, ask, change } from "../api.js";
import { toApiError } from "../use-answer.js";

const MOST_KEPT = 60; // turns
const AT_ONCE = 12;

interface StoredBranch {
  readonly id: string;
  readonly branch: string | null;
}

export function useTurnStore(id: string, branch: string | null, edition: number): TurnStore {
  const [, setVersion] = useState(0);
  const known = useRef<{ readonly key: string; readonly store: TurnStore }>(undefined);
  const key = `${id} ${branch} ${edition}`;
  if (known.current?.key !== key) {
    const store = new TurnStore({ id, branch }, () => setVersion((before) => before + 1));
    known.current = { key, store };
  }
  const { store } = known.current;
  useEffect(() => () => store.close(), [store]);
  return store;
}

/** The turns in sight and some around them; what is far away is forgotten, so that memory does not grow. */
export class TurnStore {
  readonly #branch: StoredBranch;
  readonly #onChange: () => void;
  readonly #turns = new Map<number, ServedTurn>();
  readonly #stale = new Set<number>();
  readonly #closing = new AbortController();
  #wanted: readonly [first: number, last: number] = [1, 0];
  #isAsking = false;
  #preamble: readonly ServedItem[] = [];
  #failure: ApiError | undefined;

  constructor(branch: StoredBranch, onChange: () => void) {
    this.#branch = branch;
    this.#onChange = onChange;
  }

  get preamble(): readonly ServedItem[] {
    return this.#preamble;
  }

  get failure(): ApiError | undefined {
    return this.#failure;
  }

  at(turn: number): ServedTurn | undefined {
    return this.#turns.get(turn);
  }

  want(first: number, last: number): void {
    this.#wanted = [Math.max(1, first), last];
    if (this.#failure === undefined) void this.#load();
  }

  /** Asks again for all from this one on. */
  refreshFrom(turn: number): void {
    for (const known of this.#turns.keys()) if (known >= turn) this.#stale.add(known);
    this.#failure = undefined;
    void this.#load();
  }

  async reveal(turn: number): Promise<void> {
    const { id, branch } = this.#branch;
    const request = { from: turn, to: turn, ...(branch === null ? {} : { branch }) };
    this.#take(await change<TurnsAnswer>(`${pathOf(id)}/reveal`, request));
  }

  close(): void {
    this.#closing.abort();
  }

  async #load(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      for (let from = this.#firstMissing(); from !== undefined; from = this.#firstMissing()) {
        const { id, branch } = this.#branch;
        const to = Math.min(this.#wanted[1], from + AT_ONCE - 1);
        const fields = new URLSearchParams({ from: `${from}`, to: `${to}`, ...(branch === null ? {} : { branch }) });
        const answer = await ask<TurnsAnswer>(`${pathOf(id)}/turns?${fields}`, this.#closing.signal);
        this.#take(answer);
        if (answer.turns.length === 0) break;
      }
    } catch (error) {
      if (!this.#closing.signal.aborted) {
        this.#failure = toApiError(error);
        this.#onChange();
      }
    }
    this.#isAsking = false;
  }

  #firstMissing(): number | undefined {
    const [first, last] = this.#wanted;
    for (let turn = first; turn <= last; turn += 1) if (!this.#turns.has(turn) || this.#stale.has(turn)) return turn;
    return undefined;
  }

  #take({ turns, preamble, from }: TurnsAnswer): void {
    for (const served of turns) {
      this.#turns.set(served.turn.index, served);
      this.#stale.delete(served.turn.index);
    }
    this.#failure = undefined;
    if (from === 1) this.#preamble = preamble;
    forgetFarTurns(this.#turns, this.#wanted);
    this.#onChange();
  }
}

function pathOf(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}`;
}

function forgetFarTurns(turns: Map<number, ServedTurn>, [first, last]: readonly [number, number]): void {
  if (turns.size <= MOST_KEPT) return;
  const distance = (turn: number) => Math.max(first - turn, turn - last, 0);
  const farthest = [...turns.keys()].sort((a, b) => distance(b) - distance(a));
  for (const turn of farthest.slice(0, turns.size - MOST_KEPT)) if (distance(turn) > 0) turns.delete(turn);
}
