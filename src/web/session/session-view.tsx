import type { ComponentChildren } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Highlight } from "../../render/highlight.js";
import { createMarkdownHtml } from "../../render/html/components/markdown-html.js";
import { type PageTools, PageToolsContext } from "../../render/html/components/page-tools.js";
import { neutralize } from "../../render/safe-text.js";
import type { OutlineTurn, ServedSubagent, SessionAnswer } from "../../server/api/session.js";
import type { WantedEdit } from "../edit/edit-dialog.js";
import { LazyChanges, LazyTimeline } from "../lazy-views.js";
import { listPath } from "../list/list-filter.js";
import type { SessionRoute } from "../router.js";
import { copyText } from "../shell/copy.js";
import { setPageTitle } from "../shell/page-title.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { FindBar, type FindBarProps, useFinding } from "./find-bar.js";
import { Outline, useOutlineDrawer } from "./outline.js";
import { RawDialog, type RawPlace } from "./raw-dialog.js";
import { BesidePane, ItemPlaceContext } from "./served-items.js";
import { SessionBar } from "./session-bar.js";
import { TurnList, type TurnListProps } from "./turn-list.js";
import { type TurnStore, useTurnStore } from "./turn-store.js";
import { useReader, useSessionKeys } from "./use-reader.js";
import { useSession, whenIdle } from "./use-session.js";
import { EVERYTHING } from "./visible-parts.js";

/** One session: bar, turns, outline. */
export function SessionView({ route }: { readonly route: SessionRoute }) {
  const { id, branch, turn } = route;
  const { session, failure, isGone, edition, first, reload } = useSession(id, branch, turn);
  const store = useTurnStore({ id, branch }, edition, first);
  useEffect(() => {
    if (session) setPageTitle(`${neutralize(session.header.title)} · turnlog`);
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
    <SessionContexts route={route} session={session}>
      {(beside, closeBeside) => (
        <>
          {isGone ? <GoneNotice /> : null}
          <Opened route={route} session={session} store={store} beside={beside} onBesideClosed={closeBeside} />
        </>
      )}
    </SessionContexts>
  );
}

function GoneNotice() {
  return (
    <p class="page-notice" role="status">
      The file of this session was deleted or moved. Loaded turns can still be read. <a href="/trash">Trash</a>
    </p>
  );
}

/** Provides the contexts that the components of a session need. */
function SessionContexts({ route: { id, branch }, session, children }: SessionContextsProps) {
  const tools = usePageTools(session.header.project);
  useCodeCopying();
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

interface SessionContextsProps extends Pick<OpenedProps, "route" | "session"> {
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
  const reader = useReader(route, session, store);
  const { filter, current, goTo, goToEnd, setFilter } = reader;
  const outline = useOutlineDrawer();
  const { words, bar, open } = useFinding(route.query);
  const [wantedEdit, setWantedEdit] = useState<WantedEdit>();
  useSessionKeys({ session, filter, current, route, goTo, goToEnd, onFind: open });
  return (
    <div class={outline.isOpen ? "session-view outline-open" : "session-view"}>
      <SessionBar
        session={session}
        route={route}
        filter={filter}
        current={current}
        onFilter={setFilter}
        onFind={open}
        outline={outline}
        wantedEdit={wantedEdit}
        onEdit={setWantedEdit}
      />
      {bar ? <FindBar key={bar.words} {...bar} id={route.id} place={placeIn(route, current)} onGo={goTo} /> : null}
      {route.view === "changes" ? (
        <LazyChanges session={session} route={route} onListClosed={outline.close} />
      ) : (
        <Reading
          route={route}
          session={session}
          store={store}
          reader={reader}
          words={words}
          beside={beside}
          onBesideClosed={onBesideClosed}
          onFork={(turn) => setWantedEdit({ command: "fork", flags: { at: forkPoint(route, turn) } })}
          onListClosed={outline.close}
        />
      )}
    </div>
  );
}

interface ReadingProps extends OpenedProps, Pick<TurnListProps, "words" | "onFork"> {
  readonly reader: ReturnType<typeof useReader>;
  onListClosed(): void;
}

/** The turns, a sub-agent beside them, and the outline. */
function Reading(props: ReadingProps) {
  const { route, session, store, reader, words, beside, onBesideClosed, onFork, onListClosed } = props;
  const { onRaw } = useContext(ItemPlaceContext);
  const { filter, current, goTo, goToEnd, setFilter } = reader;
  return (
    <>
      <div class={route.view === "timeline" ? "reading-column with-timeline" : "reading-column"}>
        {route.view === "timeline" ? (
          <LazyTimeline session={session} branch={route.branch} current={Math.max(1, current)} onGo={goTo} />
        ) : null}
        <TurnList
          session={session}
          store={store}
          filter={filter}
          target={reader.target}
          words={words}
          onPlace={reader.onPlace}
          onRaw={onRaw}
          onFork={onFork}
        />
        <FollowPill session={session} isAtEnd={reader.isAtEnd} onFollow={goToEnd} />
      </div>
      {beside ? <BesidePane subagent={beside} onClose={onBesideClosed} /> : null}
      <Outline
        session={session}
        branch={route.branch}
        filter={filter}
        current={current}
        onGo={(turn, anchor) => {
          onListClosed();
          goTo(turn, anchor);
        }}
        onFile={(file) => {
          onListClosed();
          setFilter({ ...EVERYTHING, file });
        }}
        onClose={onListClosed}
      />
    </>
  );
}

/** The anchor of the address holds only for the turn that the address names. */
function placeIn({ turn, anchor }: SessionRoute, current: number): FindBarProps["place"] {
  return { turn: current, anchor: turn === current ? anchor : null };
}

/** Turn numbers are those of the active branch; on another branch the fork point is a record. */
function forkPoint({ branch }: SessionRoute, { index, lastUuid }: OutlineTurn): string {
  return branch === null ? String(index) : (lastUuid ?? branch);
}

interface FollowPillProps {
  readonly session: SessionAnswer;
  readonly isAtEnd: boolean;
  onFollow(): void;
}

/** Shows that a live session is followed; after scrolling up, counts what is new, and says when only text came. */
function FollowPill({ session, isAtEnd, onFollow }: FollowPillProps) {
  const seen = useRef(session);
  if (isAtEnd) seen.current = session;
  if (isAtEnd && session.live) return <p class="pill following">Following</p>;
  const newCount = countTurnsAndCalls(session) - countTurnsAndCalls(seen.current);
  const hasNewText = session.sizeBytes > seen.current.sizeBytes && session.live;
  if (newCount <= 0 && !hasNewText) return null;
  return (
    <button type="button" class="pill" onClick={onFollow}>
      {newCount > 0 ? `${newCount} new` : "New text"}: go to end
    </button>
  );
}

/** Turns and tool calls. */
function countTurnsAndCalls({ turns, totals }: SessionAnswer): number {
  return turns.length + totals.conversation.toolCalls;
}

let loading: Promise<Highlight> | undefined;

/** Code is plain until the highlighter is loaded. */
function usePageTools(project: string | null): PageTools {
  const [loaded, setLoaded] = useState<{ readonly highlight: Highlight }>({ highlight: plain });
  useEffect(() => {
    loading ??= whenIdle().then(async () => {
      const { loadHighlighter } = await import("../../render/highlight.js");
      return loadHighlighter();
    });
    void loading.then((highlight) => setLoaded({ highlight }));
  }, []);
  return useMemo(
    () => ({
      highlight: loaded.highlight,
      markdown: createMarkdownHtml(loaded.highlight, { canCopy: true }),
      project,
      isLazy: true,
      copy,
    }),
    [loaded, project],
  );
}

/** The buttons before the code blocks of answers, which are painted as text. */
function useCodeCopying(): void {
  useEffect(() => {
    const press = ({ target }: MouseEvent) => {
      const button = target instanceof Element ? target.closest(".copy-code") : null;
      if (button) copy(button.nextElementSibling?.textContent ?? "", "Code");
    };
    addEventListener("click", press);
    return () => removeEventListener("click", press);
  }, []);
}

const copy = (text: string, what: string) => void copyText(text, what);

const plain: Highlight = () => null;
