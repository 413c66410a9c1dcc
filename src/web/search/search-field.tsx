import { Icon } from "../../render/html/components/icon.js";
import { listPath } from "../list/list-filter.js";
import { UiIcon } from "../shell/controls.js";
import { openBox } from "./open-box.js";

/** Opens the box; shows the search whose results are listed below it. */
export function SearchField({ query }: { readonly query: string }) {
  return (
    <search class="search-bar">
      <button type="button" class="search" aria-haspopup="dialog" onClick={() => openBox(query)}>
        <Icon name="search" />
        <span class={query === "" ? "search-words none" : "search-words"}>
          {query === "" ? "Search or go to …" : query}
        </span>
        <span class="out-of-sight">(search all sessions)</span>
        <kbd>/</kbd>
      </button>
      {query === "" ? null : (
        <a class="sign-button" href={listPath()} aria-label="Clear the search">
          <UiIcon name="close" />
        </a>
      )}
    </search>
  );
}
