import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../render/html/icon.js";
import { listPath } from "../list/list-filter.js";
import { navigate } from "../router.js";
import { searchPath } from "../routes.js";
import { useKeys } from "../shell/use-keys.js";

/** Always there; what is typed is in the address at once. */
export function SearchBox({ query }: { readonly query: string }) {
  const input = useRef<HTMLInputElement>(null);
  const focus = () => input.current?.select();
  useKeys({ "/": focus });
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      input.current?.select();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const type = (text: string) => {
    if (text === "") navigate(listPath());
    else navigate(searchPath(text), { replace: location.pathname === "/search" });
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
    </search>
  );
}

/** Enter opens the best hit, the arrow goes to it. */
function focusFirstHit(event: KeyboardEvent): void {
  const hit = document.querySelector<HTMLAnchorElement>(".results a.hit");
  if (!hit) return;
  event.preventDefault();
  if (event.key === "Enter") hit.click();
  else hit.focus();
}
