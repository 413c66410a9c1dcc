import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { formatCount, formatNumber } from "../render/format-values.js";
import { Icon } from "../render/html/components/icon.js";
import { startTheme } from "../render/html/page-script/theme.js";
import { neutralize } from "../render/safe-text.js";
import type { FacetsAnswer } from "../server/api/list.js";
import type { StartAnswer } from "../server/api/start.js";
import { useAnswer } from "./api.js";
import { distinguishProjects } from "./labels.js";
import { listPath, setListFilter, useListFilter } from "./list/list-filter.js";
import { navigate, type Route, searchPath } from "./router.js";
import { toggleSaved, useSearchHistory } from "./search/search-history.js";
import { IconButton, UiIcon, type UiIconName } from "./shell/controls.js";
import { toggleList, useListHidden } from "./shell/hidden-list.js";
import { openTravel } from "./travel/wanted-dialog.js";

interface NavProps {
  readonly route: Route;
  readonly facets: FacetsAnswer | undefined;
  /** Number of running sessions that wait for a person. */
  readonly waiting: number;
  onHelp(): void;
}

type Place = readonly [href: string, name: string, sign: UiIconName, pages: readonly Route["page"][]];

const PLACES: readonly Place[] = [
  ["/now", "Now", "pulse", ["now"]],
  ["/", "Sessions", "list", ["sessions", "session", "search", "compare"]],
  ["/insights", "Insights", "chart", ["insights"]],
  ["/trash", "Trash", "trash", ["trash"]],
];

export function Nav({ route, facets, waiting, onHelp }: NavProps) {
  useLayoutEffect(startTheme, []); // before the first frame
  const isListHidden = useListHidden();
  return (
    <nav class="places" aria-label="Main">
      <a class="brand" href="/">
        turnlog
      </a>
      <ul class="place-links">
        {PLACES.map(([href, name, sign, pages]) => (
          <li key={href}>
            <a
              href={href === "/" ? listPath() : href}
              {...(pages.includes(route.page) ? { "aria-current": "page" as const } : {})}
            >
              <UiIcon name={sign} />
              <span>{name}</span>
              {href === "/now" && waiting > 0 ? <WaitingCount waiting={waiting} /> : null}
            </a>
          </li>
        ))}
      </ul>
      <SavedSearches route={route} />
      <Projects facets={facets} />
      <DemoNote />
      <div class="nav-tools">
        <span class="rarely">
          <IconButton name="upload" label="Import sessions …" onClick={() => openTravel({ kind: "import" })} />
          {route.page === "session" ? (
            <IconButton name="beside" label="Hide the list (l)" isPressed={isListHidden} onClick={toggleList} />
          ) : null}
        </span>
        <button type="button" id="theme" class="sign-button" title="Switch theme">
          <Icon name="theme" label="Switch theme" />
        </button>
        <button
          type="button"
          class="sign-button"
          title="Keyboard shortcuts (?)"
          aria-label="Keyboard shortcuts"
          onClick={onHelp}
        >
          ?
        </button>
      </div>
    </nav>
  );
}

function WaitingCount({ waiting }: { readonly waiting: number }) {
  return (
    <span class="waiting-count" title={`${formatCount(waiting, "session waits", "sessions wait")} for you`}>
      {waiting}
    </span>
  );
}

function DemoNote() {
  const { answer: start } = useAnswer<StartAnswer>("/api/start");
  return start?.isDemo ? <p class="demo-note">Demo: these sessions are not real.</p> : null;
}

/** Kept in this browser; a click lists what they find now. */
function SavedSearches({ route }: Pick<NavProps, "route">) {
  const { saved } = useSearchHistory();
  if (saved.length === 0) return null;
  return (
    <section class="saved" aria-label="Saved searches">
      <h2>Saved searches</h2>
      <ul class="place-links">
        {saved.map((query) => (
          <li key={query}>
            <a
              href={searchPath(query)}
              title={query}
              {...(route.page === "search" && route.query === query ? { "aria-current": "page" as const } : {})}
            >
              <span class="name">{query}</span>
            </a>
            <button type="button" class="sign-button" aria-label={`Forget ${query}`} onClick={() => toggleSaved(query)}>
              <UiIcon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SHOWN_PROJECTS = 12;

function Projects({ facets }: Pick<NavProps, "facets">) {
  const filter = useListFilter();
  const [isWhole, setWhole] = useState(false);
  const names = useMemo(() => distinguishProjects((facets?.projects ?? []).map(({ name }) => name)), [facets]);
  const all = facets?.projects ?? [];
  const projects = isWhole ? all : all.slice(0, SHOWN_PROJECTS);
  if (all.length < 2) return null;
  const choose = (name: string) => {
    setListFilter({ project: filter.project === name ? "" : name });
    navigate(listPath());
  };
  return (
    <section class="projects" aria-label="Projects">
      <h2>Projects</h2>
      <ul>
        {projects.map(({ name, sessions }) => (
          <li key={name}>
            <button type="button" aria-pressed={filter.project === name} title={name} onClick={() => choose(name)}>
              <span class="name">{neutralize(names.get(name)?.name ?? name)}</span>
              <span class="above">{neutralize(names.get(name)?.above ?? "")}</span>
              <span class="count">{formatNumber(sessions)}</span>
            </button>
          </li>
        ))}
      </ul>
      {all.length <= SHOWN_PROJECTS ? null : (
        <button type="button" class="all-projects" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Fewer" : `All ${formatNumber(all.length)} projects`}
        </button>
      )}
    </section>
  );
}
