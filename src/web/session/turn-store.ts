import { useEffect, useRef, useState } from "preact/hooks";
import type { ServedItem, ServedTurn, TurnsAnswer } from "../../server/api/session.js";
import { type ApiError, ask, change, toApiError } from "../api.js";

const MAX_KEPT = 60; // turns
const AT_ONCE = 12;

interface StoredBranch {
  readonly id: string;
  readonly branch: string | null;
}

/** A new store for each edition, filled with the turns that were loaded with the session. */
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

/** Holds the visible turns and some around them; distant ones are dropped to limit memory. */
export class TurnStore {
  readonly #branch: StoredBranch;
  readonly #onChange: () => void;
  readonly #turns = new Map<number, ServedTurn>();
  /** The version of the session that each turn was loaded from. */
  readonly #versions = new Map<number, number>();
  readonly #closing = new AbortController();
  #wanted: readonly number[] = [];
  #isAtEnd = false;
  #isAsking = false;
  /** Set when the session grew while a request was pending. */
  #grown: { readonly from: number; readonly version: number } | undefined;
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

  /** In ascending order. At the end of the session, the last turn is loaded first. */
  want(turns: readonly number[], isAtEnd = false): void {
    const before = this.#wanted;
    this.#isAtEnd = isAtEnd;
    this.#wanted = turns;
    if (turns[0] !== before[0] || turns.at(-1) !== before.at(-1)) this.#failure = undefined;
    if (this.#failure === undefined) void this.#load();
  }

  /** Reloads all turns from this one on, except those of this version. */
  refreshFrom(turn: number, version = Number.POSITIVE_INFINITY): void {
    this.#forgetFrom(turn, (of) => of !== version);
    this.#grown = { from: Math.min(turn, this.#grown?.from ?? turn), version };
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
        this.#grown = undefined;
        const answer = await ask<TurnsAnswer>(turnsPath(this.#branch, ...range), this.#closing.signal);
        this.#take(answer);
        this.#forgetOvertaken();
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

  #forgetFrom(turn: number, isStale: (version: number) => boolean): void {
    for (const [known, of] of this.#versions) if (known >= turn && isStale(of)) this.#versions.delete(known);
  }

  /** Drops turns of an answer that is older than the growth reported while it was pending. */
  #forgetOvertaken(): void {
    const grown = this.#grown;
    if (grown) this.#forgetFrom(grown.from, (of) => of < grown.version);
  }

  /** The next range of missing turns; turns hidden by a filter are not requested. */
  #nextMissing(): [from: number, to: number] | undefined {
    const missing = this.#wanted.filter((turn) => !this.#versions.has(turn));
    const [first, last] = [missing[0], missing.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    if (this.#isAtEnd && last === this.#wanted.at(-1)) return [last, last];
    const neighbours = missing.filter((turn, at) => turn === first + at).slice(0, AT_ONCE);
    return [first, neighbours.at(-1) ?? first];
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

function farTurns(turns: ReadonlyMap<number, unknown>, wanted: readonly number[]): number[] {
  const [first = 1, last = 0] = [wanted[0], wanted.at(-1)];
  const distance = (turn: number) => Math.max(first - turn, turn - last, 0);
  const others = [...turns.keys()].filter((turn) => !wanted.includes(turn)).sort((a, b) => distance(b) - distance(a));
  return others.slice(0, Math.max(0, turns.size - MAX_KEPT));
}
