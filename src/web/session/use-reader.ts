import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import type { OutlineTurn, SessionAnswer } from "../../server/api/session.js";
import { navigate, parseRoute, replaceAddress, type SessionRoute, sessionPath } from "../router.js";
import { copyText } from "../shell/copy.js";
import { useKeys } from "../shell/keyboard.js";
import { callAnchor } from "./show-target.js";
import type { Target } from "./turn-list.js";
import type { TurnStore } from "./turn-store.js";
import { EVERYTHING, isCallShown, isFailure, isTurnShown, type TurnFilter } from "./visible-parts.js";

/** The reader's position in a session, the filter, and navigation. */
export function useReader(route: SessionRoute, session: SessionAnswer, store: TurnStore) {
  const [target, setTarget] = useState<Target | undefined>(route.turn === null && session.live ? END : undefined);
  const [filter, setFilter] = useState(EVERYTHING);
  const { current, isAtEnd, onPlace } = usePlace(route);
  const latest = useRef({ session, filter });
  latest.current = { session, filter };
  useGrowth(store, session);
  const go = useCallback(
    (to: Target) => {
      if (isHidden(to, latest.current.session, latest.current.filter)) setFilter(EVERYTHING);
      setTarget(to);
      if (route.view === "changes") navigate(sessionPath(route.id, { ...route, view: "text", turn: to.turn || null }));
    },
    [route],
  );
  const seen = useRef<SessionRoute["view"]>(route.view);
  useLayoutEffect(() => {
    const isBack = seen.current === "changes" && route.view !== "changes";
    seen.current = route.view;
    if (route.view === "changes") return;
    if (isBack && isAtEnd && session.live) setTarget({ ...END });
    else if (route.turn !== null) go({ turn: route.turn, anchor: route.anchor });
    else if (isBack) setTarget({ turn: 0, anchor: "" });
  }, [route]);
  const goTo = useCallback((turn: number, anchor = "") => go({ turn, anchor }), [go]);
  const goToEnd = useCallback(() => go({ ...END }), [go]);
  return { target, filter, current, isAtEnd, onPlace, goTo, goToEnd, setFilter };
}

/** Whether the filter hides the target; it is then cleared. */
function isHidden({ turn, anchor }: Target, { turns }: SessionAnswer, filter: TurnFilter): boolean {
  const shown = turns[turn - 1];
  if (!shown) return false;
  const call = shown.calls.find(({ id }) => callAnchor(id) === anchor);
  return !isTurnShown(shown, filter) || (call !== undefined && filter.file === null && !isCallShown(call, filter));
}

/** Also reloads the turn that was the last one: it may have grown before the next one started. */
function useGrowth(store: TurnStore, { turns, version }: SessionAnswer): void {
  const last = useRef(turns.length);
  useLayoutEffect(() => {
    store.refreshFrom(Math.min(last.current, turns.length), version);
    last.current = turns.length;
  }, [store, version, turns.length]);
}

/** Where a live session is opened, unless the address names a turn. */
const END: Target = { turn: 0, anchor: "", isEnd: true };

const ADDRESS_MS = 300; // browsers limit how often the address may change

/** Keeps the address at the current turn, so that it can be copied and Back returns to it. */
function usePlace({ id, branch, query }: SessionRoute) {
  const [place, setPlace] = useState({ current: 0, isAtEnd: false });
  const timer = useRef(0);
  const onPlace = useCallback(
    (current: number, isAtEnd: boolean) => {
      setPlace((old) => (old.current === current && old.isAtEnd === isAtEnd ? old : { current, isAtEnd }));
      if (current === place.current) return;
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => updateAddress({ id, branch, query }, current), ADDRESS_MS);
    },
    [id, branch, query, place.current],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  return { ...place, onPlace };
}

/** The address stays as it is while its turn is current: it may also name a call in that turn. */
function updateAddress({ id, branch, query }: Pick<SessionRoute, "id" | "branch" | "query">, turn: number): void {
  const here = parseRoute(location);
  if (here.page !== "session" || here.id !== id || (here.turn ?? 1) === turn) return;
  replaceAddress(sessionPath(id, { turn, branch, query, view: here.view }));
}

interface SessionKeysOptions {
  readonly session: SessionAnswer;
  readonly filter: TurnFilter;
  readonly current: number;
  readonly route: Pick<SessionRoute, "id" | "branch" | "view">;
  goTo(turn: number, anchor?: string): void;
  goToEnd(): void;
  onFind(): void;
}

export function useSessionKeys({ session, filter, current, route, ...go }: SessionKeysOptions): void {
  const { goTo, goToEnd, onFind } = go;
  const turns = session.turns.filter((turn) => isTurnShown(turn, filter));
  const step = (by: 1 | -1) => {
    const next = by === 1 ? turns.find(({ index }) => index > current) : turns.findLast(({ index }) => index < current);
    const turn = next ?? (by === -1 ? turns[0] : undefined);
    if (turn) goTo(turn.index);
  };
  const steppedTo = useRef<string>(undefined); // the call that was stepped to, until it has the focus
  const stepCall = (by: 1 | -1, isWanted: (status: string) => boolean, otherwise: string) => {
    const calls = callsFrom(turns, filter, current, by).filter(({ status }) => isWanted(status));
    const here = focusedCall()?.id ?? steppedTo.current;
    const next = calls[calls.findIndex(({ anchor }) => anchor === here) + 1];
    if (!next) return showStatus(otherwise);
    focusedCall()?.querySelector<HTMLElement>("summary")?.blur();
    steppedTo.current = next.anchor;
    goTo(next.turn, next.anchor);
  };
  const isText = route.view !== "changes"; // that view has its own places to step through
  useKeys({
    ...(isText ? { j: () => step(1), k: () => step(-1) } : {}),
    "]": () => stepCall(1, isCall, "No further tool call"),
    "[": () => stepCall(-1, isCall, "No earlier tool call"),
    e: () => stepCall(1, (status) => isFailure(status) || status === API_ERROR, "No further failure"),
    f: onFind,
    o: toggleHere,
    O: () => toggle(".turns details"),
    t: () => toggle(".turns details.thinking"),
    c: () => void copyText(location.origin + pathHere(route, current), "Link"),
    Home: () => goTo(0),
    End: goToEnd,
  });
}

interface PlacedCall {
  readonly turn: number;
  readonly anchor: string;
  readonly status: string;
}

/** The calls from the current turn on, or back. */
function callsFrom(turns: readonly OutlineTurn[], filter: TurnFilter, current: number, by: 1 | -1): PlacedCall[] {
  const ahead = turns.filter(({ index }) => (by === 1 ? index >= current : index <= Math.max(1, current)));
  const calls = ahead.flatMap(({ index, calls: own, apiErrors }) => [
    ...own
      .filter((call) => isCallShown(call, filter))
      .map((call) => ({ turn: index, anchor: callAnchor(call.id), status: call.status })),
    ...(apiErrors > 0 && index !== current ? [{ turn: index, anchor: "", status: API_ERROR }] : []),
  ]);
  return by === 1 ? calls : calls.reverse();
}

/** API errors have no anchor of their own. */
const API_ERROR = "API error";

function isCall(status: string): boolean {
  return status !== API_ERROR;
}

function focusedCall(): Element | null | undefined {
  return document.activeElement?.closest(".turns .call");
}

/** The address of the focused call, else of the turn. */
function pathHere({ id, branch }: SessionKeysOptions["route"], current: number): string {
  const call = focusedCall();
  const turn = Number(call?.closest<HTMLElement>(".slot")?.dataset["key"] ?? Math.max(1, current));
  return sessionPath(id, { turn, branch, anchor: call?.id ?? "" });
}

function toggleHere(): void {
  const here = document.activeElement?.closest<HTMLDetailsElement>(".turns details");
  if (here) here.open = !here.open;
  else toggle(".turns details");
}

/** Opens all, or closes all if all are open. */
function toggle(selector: string): void {
  const folds = [...document.querySelectorAll<HTMLDetailsElement>(selector)];
  const isOpening = folds.some(({ open }) => !open);
  for (const fold of folds) fold.open = isOpening;
}
