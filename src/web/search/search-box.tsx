import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../render/html/components/icon.js";
import { listPath } from "../list/list-filter.js";
import { navigate, searchPath } from "../router.js";
import { useKeys } from "../shell/keyboard.js";

const SEARCH = "/search";

/** What is typed becomes part of the address at once. */
export function SearchBox({ query }: { readonly query: string }) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (location.pathname === SEARCH) input.current?.focus();
  }, []);
  const type = (text: string) => {
    forgetFirstHit();
    if (text === "") navigate(listPath());
    else navigate(searchPath(text), { replace: location.pathname === SEARCH });
  };
  return (
    <search class="search-bar">
      <label class="search">
        <Icon name="search" />
        <span class="out-of-sight">Search all sessions</span>
        <input
          ref={input}
          type="search"
          placeholder="Search all sessions"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
            if (event.key === "Enter" || event.key === "ArrowDown") focusFirstHit(event);
          }}
        />
        <kbd>/</kbd>
      </label>
      {query === "" ? <RecentSearches /> : null}
    </search>
  );
}

/** Focuses the search box; where there is none, opens the search page. */
export function useSearchKeys(): void {
  useKeys({ "/": goToBox });
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      goToBox();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function goToBox(): void {
  const input = document.querySelector<HTMLInputElement>(".search-bar input");
  if (input) input.select();
  else navigate(SEARCH);
}

/** Enter opens the best hit, the arrow key focuses it; in an empty box, the latest search. */
function focusFirstHit(event: KeyboardEvent): void {
  const isOpening = event.key === "Enter"; // only hits of the current query
  const results = isOpening ? ".results:not(.stale)" : ".results";
  const hit = document.querySelector<HTMLAnchorElement>(`${results} a.hit, .search-bar .recent a`);
  if (isOpening && !hit) wantFirstHit();
  if (!hit) return;
  event.preventDefault();
  if (isOpening) hit.click();
  else hit.focus();
}

let isWanted = false;

/** Enter was pressed before the answer came: its first hit is opened once it does. */
function wantFirstHit(): void {
  isWanted = true;
}

function forgetFirstHit(): void {
  isWanted = false;
}

/** True once after `wantFirstHit`. */
export function takeFirstHit(): boolean {
  const wasWanted = isWanted;
  isWanted = false;
  return wasWanted;
}

const KEY = "turnlog-searches";
const MAX_SEARCHES = 8;

/** Without the current query. */
export function RecentSearches({ query = "" }: { readonly query?: string }) {
  const searches = readSearches().filter((known) => known !== query.trim());
  if (searches.length === 0) return null;
  return (
    <div class="recent">
      <h2>Recent searches</h2>
      <ul>
        {searches.map((query) => (
          <li key={query}>
            <a href={searchPath(query)}>{query}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function rememberSearch(query: string): void {
  const text = query.trim();
  if (text.length < 3) return;
  const others = readSearches().filter((known) => known !== text && !text.startsWith(known));
  try {
    localStorage.setItem(KEY, JSON.stringify([text, ...others].slice(0, MAX_SEARCHES)));
  } catch {
    // Storage may be disabled; searching works without it.
  }
}

function readSearches(): string[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(known) ? known.filter((query) => typeof query === "string") : [];
  } catch {
    return [];
  }
}
