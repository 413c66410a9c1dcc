import { Icon } from "../components/icon.js";
import { FOLD_KEYS, HELP_KEYS, KeyList, type KeyMeanings, TURN_KEYS } from "../components/key-list.js";

const KINDS = [
  ["prompts", "Prompts"],
  ["answers", "Answers"],
  ["thinking", "Thinking"],
  ["tools", "Tool calls"],
] as const;

/** Hidden unless the page's script runs. */
export function Toolbar() {
  return (
    <search class="toolbar">
      <button type="button" id="show-contents" aria-expanded="false" aria-controls="contents" title="Contents">
        <Icon name="contents" label="Contents" />
      </button>
      <label class="search">
        <Icon name="search" />
        <span class="out-of-sight">Search this session</span>
        <input id="query" type="search" placeholder="Search this session" autocomplete="off" spellcheck={false} />
        <kbd>/</kbd>
      </label>
      <output id="hits" for="query" />
      <button type="button" id="previous-hit" title="Previous hit (p)" disabled>
        <Icon name="up" label="Previous hit" />
      </button>
      <button type="button" id="next-hit" title="Next hit (n)" disabled>
        <Icon name="down" label="Next hit" />
      </button>
      <FilterMenu />
      <button type="button" id="toggle-all" title="Expand or collapse all (O)" aria-pressed="false">
        <Icon name="folds" label="Expand all" />
      </button>
      <button type="button" id="theme" title="Switch theme">
        <Icon name="theme" label="Switch theme" />
      </button>
      <button type="button" id="help" title="Keyboard shortcuts (?)">
        <span aria-hidden="true">?</span>
        <span class="out-of-sight">Keyboard shortcuts</span>
      </button>
    </search>
  );
}

/** The page's script adds the list of tools. */
function FilterMenu() {
  return (
    <details class="menu" id="filter">
      <summary title="Filter">
        <Icon name="filter" label="Filter" />
      </summary>
      <form>
        <fieldset>
          <legend>Show</legend>
          {KINDS.map(([kind, name]) => (
            <label key={kind}>
              <input type="checkbox" name="kind" value={kind} checked /> {name}
            </label>
          ))}
          <label>
            <input type="checkbox" name="errors" /> Only failures
          </label>
        </fieldset>
        <fieldset id="tools" hidden>
          <legend>Tools</legend>
        </fieldset>
        <button type="reset">Reset filters</button>
      </form>
    </details>
  );
}

const KEYS: KeyMeanings = [...TURN_KEYS, ["/ f", "search"], ["n p", "next, previous hit"], ...FOLD_KEYS, ...HELP_KEYS];

export function ExportKeysDialog() {
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <KeyList keys={KEYS} />
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
