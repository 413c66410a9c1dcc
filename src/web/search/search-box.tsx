import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../render/html/icon.js";
import { listPath } from "../list/list-filter.js";
import { navigate } from "../router.js";
import { searchPath } from "../routes.js";
import { useKeys } from "../shell/use-keys.js";
import { forgetFirstHit, wantFirstHit } from "./first-hit.js";
import { RecentSearches } from "./recent-searches.js";

const SEARCH = "/search";

/** Always there; what is typed is in the address at once. */
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
        <span class="out-of-sight">Search everything</span>
        <input
          ref={input}
          type="search"
          placeholder="Search everything"
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

/** To the box from everywhere: where a place has none, to the place that has. */
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

/** Enter opens the best hit, the arrow goes to it; before anything is typed, to what was searched before. */
function focusFirstHit(event: KeyboardEvent): void {
  const isOpening = event.key === "Enter"; // what is found for these words, not for those before
  const results = isOpening ? ".results:not(.stale)" : ".results";
  const hit = document.querySelector<HTMLAnchorElement>(`${results} a.hit, .search-bar .recent a`);
  if (isOpening && !hit) wantFirstHit();
  if (!hit) return;
  event.preventDefault();
  if (isOpening) hit.click();
  else hit.focus();
}
