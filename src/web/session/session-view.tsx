import type { ComponentChildren } from "preact";
import { useCallback, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { PageToolsContext } from "../../render/html/page-tools.js";
import { neutralize } from "../../render/neutralize.js";
import type { ServedSubagent, SessionAnswer } from "../../server/api/session.js";
import type { WantedEdit } from "../edit/edit-dialog.js";
import { LazySessionInsights } from "../insights/lazy-insights.js";
import { listPath } from "../list/list-filter.js";
import { noteAddress } from "../router.js";
import { type SessionRoute, sessionPath } from "../routes.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { BesidePane } from "./beside-pane.js";
import { FindBar } from "./find-bar.js";
import { FollowPill } from "./follow-pill.js";
import { Outline } from "./outline.js";
import { RawDialog, type RawPlace } from "./raw-dialog.js";
import { ItemPlaceContext } from "./served-items.js";
import { SessionBar } from "./session-bar.js";
import { EVERYTHING } from "./session-filter.js";
import { type Target, TurnList, type TurnListProps } from "./turn-list.js";
import { type TurnStore, useTurnStore } from "./turn-store.js";
import { useFinding } from "./use-finding.js";
import { useOutlineDrawer } from "./use-outline-drawer.js";
import { usePageTools } from "./use-page-tools.js";
import { useSession } from "./use-session.js";
import { useSessionKeys } from "./use-session-keys.js";

/** One session: bar, turns, outline. */
export function SessionView({ route }: { readonly route: SessionRoute }) {
  const { id, branch, turn } = route;
  const { session, failure, isGone, edition, first, reload } = useSession(id, branch, turn);
  const store = useTurnStore({ id, branch }, edition, first);
  useEffect(() => {
    if (session) document.title = `${neutralize(session.header.title)} · turnlog`;
  }, [session]);
  if (failure && !session) {
    return (
      <FailedState failure={failure} onRetry={reload}>
        <p>
          <a href={listPath()}>All sessions</a>
        </p>
      </FailedState>
    );
  }
  if (!session) return <LoadingState />;
  return (
    <Around route={route} session={session}>
      {(beside, closeBeside) => (
        <>
          {isGone ? <GoneNotice /> : null}
          <Opened route={route} session={session} store={store} beside={beside} onBesideClosed={closeBeside} />
        </>
      )}
    </Around>
  );
}

function GoneNotice() {
  return (
    <p class="page-notice" role="status">
      The file of this session is gone: somebody deleted or moved it. What was loaded can still be read.{" "}
      <a href="/trash">Trash</a>
    </p>
  );
}

/** What the components of a session need besides their data. */
function Around({ route: { id, branch }, session, children }: AroundProps) {
  const tools = usePageTools(session.header.project);
  const [raw, onRaw] = useState<RawPlace>();
  const [beside, onBeside] = useState<ServedSubagent>();
  const { subagents, live, turns } = session;
  const openTurn = live && branch === null ? (turns.at(-1)?.index ?? null) : null;
  const place = useMemo(
    () => ({ id, place: { branch, query: "" }, subagents, openTurn, onRaw, onBeside }),
    [id, branch, subagents, openTurn],
  );
  return (
    <PageToolsContext.Provider value={tools}>
      <ItemPlaceContext.Provider value={place}>
        {children(beside, () => onBeside(undefined))}
        {raw ? <RawDialog id={id} place={raw} onClose={() => onRaw(undefined)} /> : null}
      </ItemPlaceContext.Provider>
    </PageToolsContext.Provider>
  );
}

interface AroundProps extends Pick<OpenedProps, "route" | "session"> {
  children(beside: ServedSubagent | undefined, closeBeside: () => void): ComponentChildren;
}

interface OpenedProps {
  readonly route: SessionRoute;
  readonly session: SessionAnswer;
  readonly store: TurnStore;
  readonly beside: ServedSubagent | undefined;
  onBesideClosed(): void;
}

function Opened({ route, session, store, beside, onBesideClosed }: OpenedProps) {
  const { target, goTo, goToEnd } = useTarget(route, session);
  const [filter, setFilter] = useState(EVERYTHING);
  const [panel, setPanel] = useState<"turns" | "insights">("turns");
  const outline = useOutlineDrawer();
  const { words, bar, open } = useFinding(route.query);
  const [wantedEdit, setWantedEdit] = useState<WantedEdit>();
  const { current, isAtEnd, onPlace } = usePlace(route);
  useGrowth(store, session);
  useEffect(() => setPanel("turns"), [route]);
  useSessionKeys({ session, current, route, goTo, goToEnd, onFind: open });
  return (
    <div class={outline.isOpen ? "session-view outline-open" : "session-view"}>
      <SessionBar
        session={session}
        route={route}
        filter={filter}
        panel={panel}
        onFilter={setFilter}
        onPanel={setPanel}
        onFind={open}
        outline={outline}
        wantedEdit={wantedEdit}
        onEdit={setWantedEdit}
      />
      {bar ? <FindBar key={bar.words} {...bar} id={route.id} onGo={goTo} /> : null}
      <div class="reading-column">
        <Panel
          panel={panel}
          session={session}
          store={store}
          filter={filter}
          target={target}
          words={words}
          onPlace={onPlace}
          onFork={(turn) => setWantedEdit({ command: "fork", flags: { at: String(turn) } })}
        />
        <FollowPill session={session} isAtEnd={isAtEnd} onFollow={goToEnd} />
      </div>
      {beside ? <BesidePane subagent={beside} onClose={onBesideClosed} /> : null}
      <Outline
        session={session}
        filter={filter}
        current={current}
        onGo={(turn) => {
          setPanel("turns");
          outline.close();
          goTo(turn);
        }}
        onFile={(file) => {
          outline.close();
          setFilter({ ...EVERYTHING, file });
        }}
        onClose={outline.close}
      />
    </div>
  );
}

/** What was the last turn may have grown before the next one began. */
function useGrowth(store: TurnStore, { turns, version }: SessionAnswer): void {
  const last = useRef(turns.length);
  useLayoutEffect(() => {
    store.refreshFrom(Math.min(last.current, turns.length), version);
    last.current = turns.length;
  }, [store, version, turns.length]);
}

type PanelProps = Omit<TurnListProps, "onRaw"> & { readonly panel: "turns" | "insights" };

function Panel({ panel, ...turns }: PanelProps) {
  const { onRaw } = useContext(ItemPlaceContext);
  return panel === "turns" ? <TurnList {...turns} onRaw={onRaw} /> : <LazySessionInsights session={turns.session} />;
}

const END: Target = { turn: 0, anchor: "", isEnd: true };

/** The address says where to begin; a running session begins at its end. */
function useTarget(route: SessionRoute, session: SessionAnswer) {
  const [target, setTarget] = useState<Target | undefined>(() =>
    route.turn === null && session.live ? END : undefined,
  );
  useLayoutEffect(() => {
    if (route.turn !== null) setTarget({ turn: route.turn, anchor: route.anchor });
  }, [route]);
  const goTo = useCallback((turn: number, anchor = "") => setTarget({ turn, anchor }), []);
  return { target, goTo, goToEnd: useCallback(() => setTarget({ ...END }), []) };
}

const NOTE_MS = 300; // browsers refuse addresses that change too often

/** The address follows the reader, so that it can be copied and Back comes here again. */
function usePlace({ id, branch, query }: SessionRoute) {
  const [place, setPlace] = useState({ current: 0, isAtEnd: false });
  const timer = useRef(0);
  const onPlace = useCallback(
    (current: number, isAtEnd: boolean) => {
      setPlace((old) => (old.current === current && old.isAtEnd === isAtEnd ? old : { current, isAtEnd }));
      if (current === place.current || current <= 1) return;
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => {
        const path = sessionPath(id, { turn: current, branch, query });
        if (location.pathname.startsWith(sessionPath(id)) && location.hash === "") noteAddress(path);
      }, NOTE_MS);
    },
    [id, branch, query, place.current],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  return { ...place, onPlace };
}
