import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatNumber } from "../render/format-values.js";
import { IconSheet } from "../render/html/components/icon.js";
import type { FacetsAnswer } from "../server/api/list.js";
import type { RunningSession } from "../server/api/live.js";
import { startNotifications } from "./home/notifications.js";
import { useLive } from "./home/use-live.js";
import { LazyBlame, LazyCompare, LazyHome, LazyInsights, LazyTravel } from "./lazy-views.js";
import { adoptListFilter, listPath, useFacets } from "./list/list-filter.js";
import { type ListCounts, SessionList } from "./list/session-list.js";
import { Nav } from "./nav.js";
import { comparePath, navigate, type Route, startRouter, useRoute } from "./router.js";
import { OneBox } from "./search/one-box.js";
import { useBox } from "./search/open-box.js";
import { SearchField } from "./search/search-field.js";
import { SearchResults, SearchTips } from "./search/search-results.js";
import { SessionView } from "./session/session-view.js";
import { useActions } from "./shell/actions.js";
import { ColumnEdge, type ColumnWidth, useColumnWidth } from "./shell/column-edge.js";
import { toggleList, useListHidden } from "./shell/hidden-list.js";
import { isFocusLost, useKeys } from "./shell/keyboard.js";
import { KeysDialog } from "./shell/keys-dialog.js";
import { setPageTitle } from "./shell/page-title.js";
import { ConnectionNotice, EmptyState } from "./shell/states.js";
import { TrashView } from "./trash/trash-view.js";
import { openTravel, useDroppedBundle, useTravelDialog } from "./travel/wanted-dialog.js";

function App() {
  const route = useRoute();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys({
    "?": () => setHelpOpen(true),
    "g n": () => navigate("/now"),
    "g s": () => navigate(listPath()),
    "g i": () => navigate("/insights"),
    "g t": () => navigate("/trash"),
    l: toggleList,
  });
  const [boxText, closeBox] = useBox(queryOf(route));
  const isListHidden = useListHidden();
  usePageActions(() => setHelpOpen(true));
  const running = useLive();
  const [listed, setListed] = useState<ListCounts>();
  const listWidth = useColumnWidth();
  const facets = useFacets();
  const isWide = WIDE_PAGES.has(route.page);
  const [travel, closeTravel] = useTravelDialog();
  useDroppedBundle();
  useFocusOnArrival(route);
  useEffect(() => {
    if (route.page !== "session") setPageTitle(TITLES[route.page]);
    if (route.page === "sessions") adoptListFilter(route.fields);
  }, [route]);
  return (
    <>
      <IconSheet />
      <a class="skip" href={isListMain(route) ? "#list" : "#reading"}>
        Skip to content
      </a>
      <div class={shellClass(route, isWide || (isListHidden && route.page === "session"), listed)} {...listWidth.style}>
        <Nav route={route} facets={facets} waiting={countWaiting(running)} onHelp={() => setHelpOpen(true)} />
        {isWide || (isListHidden && route.page === "session") ? null : (
          <ListColumn route={route} facets={facets} running={running} width={listWidth} onListed={setListed} />
        )}
        <Reading route={route} running={running} isListEmpty={listed?.total === 0} />
      </div>
      <ConnectionNotice />
      {boxText === undefined ? null : <OneBox text={boxText} facets={facets} onClose={closeBox} />}
      {travel ? <LazyTravel wanted={travel} onClose={closeTravel} /> : null}
      <KeysDialog isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </>
  );
}

/** They take the room of the list too. */
const WIDE_PAGES: ReadonlySet<Route["page"]> = new Set(["insights", "trash", "compare", "blame"]);

/** What the box offers on every page. */
function usePageActions(onHelp: () => void): void {
  useActions("Actions", [
    { label: "Now: running sessions", keys: "g n", run: () => navigate("/now") },
    { label: "Sessions", words: "turnlog list", keys: "g s", run: () => navigate(listPath()) },
    { label: "Insights", words: "turnlog stats", keys: "g i", run: () => navigate("/insights") },
    { label: "Trash", words: "turnlog restore", keys: "g t", run: () => navigate("/trash") },
    { label: "Import sessions …", words: "turnlog import", run: () => openTravel({ kind: "import" }) },
    {
      label: "Move a project …",
      words: "turnlog move --project",
      run: () => openTravel({ kind: "move", project: null }),
    },
    { label: "Hide or show the list", keys: "l", run: toggleList },
    { label: "Switch theme", words: "dark light", run: () => document.getElementById("theme")?.click() },
    { label: "Keyboard shortcuts", words: "help keys", keys: "?", run: onHelp },
  ]);
}

/** Without any session, the empty state takes the whole window. */
function shellClass(route: Route, isWide: boolean, listed: ListCounts | undefined): string {
  if (isWide) return "shell wide";
  return `shell on-${route.page}${route.page === "sessions" && listed?.found === 0 ? " nothing-yet" : ""}`;
}

/** On these pages the list is the main content; on a phone it is the only one. */
function isListMain({ page }: Route): boolean {
  return page === "sessions" || page === "search";
}

interface ListColumnProps {
  readonly route: Route;
  readonly facets: FacetsAnswer | undefined;
  readonly running: readonly RunningSession[] | undefined;
  readonly width: ColumnWidth;
  onListed(listed: ListCounts | undefined): void;
}

function ListColumn({ route, facets, running = [], width, onListed }: ListColumnProps) {
  const query = queryOf(route);
  const name = query === "" ? "Sessions" : "Search results";
  const isMain = isListMain(route);
  return (
    <section id="list" class="list-column" tabIndex={-1} aria-label={name} role={isMain ? "main" : "region"}>
      {isMain ? <h1 class="out-of-sight">{name}</h1> : null}
      {running.length > 0 ? <NowStrip running={running} /> : null}
      <SearchField query={query} />
      {query === "" ? (
        <SessionList route={route} facets={facets} onListed={onListed} />
      ) : (
        <SearchResults query={query} route={route} />
      )}
      <ColumnEdge width={width} />
    </section>
  );
}

/** On a phone the list has no room beside it for what runs. */
function NowStrip({ running }: { readonly running: readonly RunningSession[] }) {
  const waiting = countWaiting(running);
  return (
    <a class="now-strip" href="/now">
      {waiting > 0 ? <strong>{formatCount(waiting, "session waits", "sessions wait")} for you</strong> : null}
      <span>{formatNumber(running.length)} running or just done</span>
    </a>
  );
}

function countWaiting(running: readonly RunningSession[] = []): number {
  return running.filter(({ needsYou }) => needsYou).length;
}

function Reading(content: ContentProps) {
  const label = content.route.page === "search" ? "Help" : "Now";
  const landmark = isListMain(content.route) ? ({ role: "region", "aria-label": label } as const) : MAIN;
  return (
    <section id="reading" class="reading" tabIndex={-1} {...landmark}>
      <Content {...content} />
    </section>
  );
}

const MAIN = { role: "main" } as const;

/** If the focused element is gone after a navigation, focuses the main content. */
function useFocusOnArrival(route: Route): void {
  const arrived = useRef(route);
  useEffect(() => {
    if (arrived.current === route) return;
    arrived.current = route;
    const isOnPlace = document.activeElement?.matches("#reading, #list");
    if (isFocusLost() || isOnPlace) document.querySelector<HTMLElement>("[role=main]")?.focus({ preventScroll: true });
  }, [route]);
}

const TITLES: Readonly<Record<Exclude<Route["page"], "session">, string>> = {
  sessions: "Sessions · turnlog",
  now: "Now · turnlog",
  search: "Search · turnlog",
  insights: "Insights · turnlog",
  trash: "Trash · turnlog",
  compare: "Compare · turnlog",
  blame: "Who wrote a file · turnlog",
  unknown: "turnlog",
};

function queryOf(route: Route): string {
  return route.page === "search" || route.page === "session" ? route.query : "";
}

interface ContentProps {
  readonly route: Route;
  readonly running: readonly RunningSession[] | undefined;
  /** The list shows its own empty state then. */
  readonly isListEmpty: boolean;
}

function Content({ route, running, isListEmpty }: ContentProps) {
  switch (route.page) {
    case "session":
      return <SessionView key={`${route.id} ${route.branch}`} route={route} />;
    case "insights":
      return <LazyInsights />;
    case "compare":
      return <LazyCompare key={comparePath(route)} route={route} />;
    case "blame":
      return <LazyBlame key={route.file} route={route} />;
    case "trash":
      return <TrashView />;
    case "search":
      return <SearchTips />;
    case "sessions":
      return isListEmpty ? null : <LazyHome running={running} />;
    case "now":
      return <LazyHome running={running} />;
    case "unknown":
      return (
        <EmptyState title="Page not found">
          <p>
            <a href="/">All sessions</a>
          </p>
        </EmptyState>
      );
  }
}

startRouter();
startNotifications();
const place = document.getElementById("app");
if (place) render(<App />, place);
