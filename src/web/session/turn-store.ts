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

/** Another one for each edition, which begins with the turns that are known already. */
export function useTurnStore(branch: StoredBranch, edition: number, first: TurnsAnswer | undefined): TurnStore {
  const [, setVersion] = useState(0);
  const known = useRef<{ readonly key: string; readonly store: TurnStore }>(undefined);
  const key = `${branch.id} ${branch.branch} ${edition}`;
  if (known.current?.key !== key) {
    const store = new TurnStore(branch, first, () => setVersion((before) => before + 1));
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
  /** Of the session when each was asked for. */
  readonly #versions = new Map<number, number>();
  readonly #closing = new AbortController();
  #wanted: readonly [first: number, last: number] = [1, 0];
  #isAtEnd = false;
  #isAsking = false;
  #preamble: readonly ServedItem[] = [];
  #failure: ApiError | undefined;

  constructor(branch: StoredBranch, first: TurnsAnswer | undefined, onChange: () => void) {
    this.#branch = branch;
    this.#onChange = onChange;
    if (first) this.#keep(first);
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

  /** Whoever is at the end gets the last one before the others. */
  want(first: number, last: number, isAtEnd = false): void {
    const [from, to] = this.#wanted;
    this.#isAtEnd = isAtEnd;
    this.#wanted = [Math.max(1, first), last];
    if (this.#wanted[0] !== from || last !== to) this.#failure = undefined;
    if (this.#failure === undefined) void this.#load();
  }

  /** Asks again for all from this one on, unless they are of this version. */
  refreshFrom(turn: number, version?: number): void {
    for (const [known, of] of this.#versions) if (known >= turn && of !== version) this.#versions.delete(known);
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
      for (let range = this.#nextMissing(); range; range = this.#nextMissing()) {
        const answer = await ask<TurnsAnswer>(turnsPath(this.#branch, ...range), this.#closing.signal);
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

  #nextMissing(): [from: number, to: number] | undefined {
    const [first, last] = this.#wanted;
    if (this.#isAtEnd && last >= first && !this.#versions.has(last)) return [last, last];
    for (let turn = first; turn <= last; turn += 1) {
      if (!this.#versions.has(turn)) return [turn, Math.min(last, turn + AT_ONCE - 1)];
    }
    return undefined;
  }

  #take(answer: TurnsAnswer): void {
    this.#keep(answer);
    for (const turn of farTurns(this.#turns, this.#wanted)) {
      this.#turns.delete(turn);
      this.#versions.delete(turn);
    }
    this.#onChange();
  }

  #keep({ turns, preamble, from, version }: TurnsAnswer): void {
    for (const served of turns) {
      this.#turns.set(served.turn.index, served);
      this.#versions.set(served.turn.index, version);
    }
    this.#failure = undefined;
    if (from === 1) this.#preamble = preamble;
  }
}

function turnsPath({ id, branch }: StoredBranch, from: number, to: number): string {
  const fields = new URLSearchParams({ from: `${from}`, to: `${to}`, ...(branch === null ? {} : { branch }) });
  return `${pathOf(id)}/turns?${fields}`;
}

function pathOf(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}`;
}

function farTurns(turns: ReadonlyMap<number, unknown>, [first, last]: readonly [number, number]): number[] {
  if (turns.size <= MOST_KEPT) return [];
  const distance = (turn: number) => Math.max(first - turn, turn - last, 0);
  const farthest = [...turns.keys()].sort((a, b) => distance(b) - distance(a));
  return farthest.slice(0, turns.size - MOST_KEPT).filter((turn) => distance(turn) > 0);
}
