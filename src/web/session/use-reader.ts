import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionAnswer } from "../../server/api/session.js";
import { noteAddress } from "../router.js";
import { parseRoute, type SessionRoute, sessionPath } from "../routes.js";
import { EVERYTHING, isCallShown, isTurnShown, type SessionFilter } from "./session-filter.js";
import { callAnchor } from "./show-target.js";
import type { Target } from "./turn-list.js";
import type { TurnStore } from "./turn-store.js";

type PanelName = "turns" | "insights";

/** Where somebody is in a session, what of it they see, and how they get elsewhere. */
export function useReader(route: SessionRoute, session: SessionAnswer, store: TurnStore) {
  const [target, setTarget] = useState<Target | undefined>(route.turn === null && session.live ? END : undefined);
  const [filter, setFilter] = useState(EVERYTHING);
  const [panel, setPanel] = useState<PanelName>("turns");
  const { current, isAtEnd, onPlace } = usePlace(route);
  const latest = useRef({ session, filter });
  latest.current = { session, filter };
  useGrowth(store, session);
  const go = useCallback((to: Target) => {
    if (isHidden(to, latest.current.session, latest.current.filter)) setFilter(EVERYTHING);
    setTarget(to);
    setPanel("turns");
  }, []);
  useLayoutEffect(() => {
    if (route.turn === null) setPanel("turns");
    else go({ turn: route.turn, anchor: route.anchor });
  }, [route]);
  const goTo = useCallback((turn: number, anchor = "") => go({ turn, anchor }), []);
  const goToEnd = useCallback(() => go({ ...END }), []);
  const showPanel = (next: PanelName) => {
    if (isAtEnd) goToEnd();
    else goTo(current > 1 ? current : 0); // whoever looks at insights comes back there
    setPanel(next);
  };
  return { target, filter, panel, current, isAtEnd, onPlace, goTo, goToEnd, setFilter, showPanel };
}

/** Whoever is led to what the filter hides wants to see it. */
function isHidden({ turn, anchor }: Target, { turns }: SessionAnswer, filter: SessionFilter): boolean {
  const shown = turns[turn - 1];
  if (!shown) return false;
  const call = shown.calls.find(({ id }) => callAnchor(id) === anchor);
  return !isTurnShown(shown, filter) || (call !== undefined && filter.file === null && !isCallShown(call, filter));
}

/** What was the last turn may have grown before the next one began. */
function useGrowth(store: TurnStore, { turns, version }: SessionAnswer): void {
  const last = useRef(turns.length);
  useLayoutEffect(() => {
    store.refreshFrom(Math.min(last.current, turns.length), version);
    last.current = turns.length;
  }, [store, version, turns.length]);
}

/** Where a running session is begun to be read, unless the address says otherwise. */
const END: Target = { turn: 0, anchor: "", isEnd: true };

const NOTE_MS = 300; // browsers refuse addresses that change too often

/** The address follows the reader, so that it can be copied and Back comes here again. */
function usePlace({ id, branch, query }: SessionRoute) {
  const [place, setPlace] = useState({ current: 0, isAtEnd: false });
  const timer = useRef(0);
  const onPlace = useCallback(
    (current: number, isAtEnd: boolean) => {
      setPlace((old) => (old.current === current && old.isAtEnd === isAtEnd ? old : { current, isAtEnd }));
      if (current === place.current) return;
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => noteTurn({ id, branch, query }, current), NOTE_MS);
    },
    [id, branch, query, place.current],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  return { ...place, onPlace };
}

/** Who is still in the turn that the address names may be at a call in it, which it names too. */
function noteTurn({ id, branch, query }: Pick<SessionRoute, "id" | "branch" | "query">, turn: number): void {
  const here = parseRoute(location);
  if (here.page !== "session" || here.id !== id || (here.turn ?? 1) === turn) return;
  noteAddress(sessionPath(id, { turn, branch, query }));
}
