import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatTime } from "../../render/format-values.js";
import { Icon } from "../../render/html/components/icon.js";
import { neutralize } from "../../render/safe-text.js";
import type { FacetsAnswer } from "../../server/api/list.js";
import type { SearchAnswerGroups, TypedFilter } from "../../server/api/search.js";
import { dayLabel } from "../labels.js";
import { navigate, searchPath } from "../router.js";
import { UiIcon } from "../shell/controls.js";
import { useReturnedFocus } from "../shell/keyboard.js";
import { type BoxOption, boxOptions, describeFound, firstChoice } from "./box-options.js";
import { BoxPreview } from "./box-preview.js";
import { toggleWord, withoutFilter } from "./complete-filter.js";
import { toggleSaved } from "./search-history.js";
import { fromFirstMatch, Snippet } from "./snippet.js";
import { useBoxAnswers } from "./use-box-answers.js";

interface OneBoxProps {
  /** What it is opened with. */
  readonly text: string;
  readonly facets: FacetsAnswer | undefined;
  onClose(): void;
}

/** Finds sessions, turns, files, projects and actions by what is typed, and opens them. */
export function OneBox({ text, facets, onClose }: OneBoxProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState(text);
  const { sources, isCurrent } = useBoxAnswers(query, facets);
  const options = boxOptions(sources);
  const choice = useChoice(query, options);
  useReturnedFocus();
  useLayoutEffect(() => {
    dialog.current?.showModal();
    input.current?.select();
  }, []);
  const type = (typed: string) => {
    setQuery(typed);
    input.current?.focus();
  };
  const open = ({ href, run, query: next }: BoxOption) => {
    if (next !== undefined) return type(next);
    onClose();
    if (href !== undefined) navigate(href);
    run?.();
  };
  const press = useBoxKeys({ query, options, choice, isCurrent, open, type, onClose });
  return (
    <dialog ref={dialog} class="box" aria-label="Search and go to" onClose={onClose}>
      <div class="box-head">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label="Search all sessions"
          aria-expanded={options.length > 0}
          aria-controls="box-options"
          aria-autocomplete="list"
          aria-activedescendant={options.length > 0 ? `box-${choice.at}` : undefined}
          placeholder="Search, or go to a session, file, project or action"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={press}
        />
        <BoxToggles query={query} saved={sources.saved} onType={type} />
      </div>
      <FilterChips query={query} typed={isCurrent ? (sources.found?.typed ?? []) : []} onType={type} />
      <div class={isCurrent ? "box-body" : "box-body stale"}>
        <Options options={options} at={choice.at} onPoint={choice.set} onOpen={open} />
        <BoxPreview option={options[choice.at]} />
      </div>
      <BoxFoot found={isCurrent ? sources.found : undefined} />
    </dialog>
  );
}

function BoxFoot({ found }: { readonly found: SearchAnswerGroups | undefined }) {
  return (
    <footer class="box-foot">
      <span role="status">{found ? describeFound(found) : ""}</span>
      <span aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Enter</kbd> open · <kbd>Ctrl Enter</kbd> all results · <kbd>Esc</kbd>{" "}
        close
      </span>
    </footer>
  );
}

interface BoxKeys {
  readonly query: string;
  readonly options: readonly BoxOption[];
  readonly choice: Choice;
  readonly isCurrent: boolean;
  open(option: BoxOption): void;
  type(query: string): void;
  onClose(): void;
}

/** Enter before the answer is there opens what it brings; typing on takes that back. */
function useBoxKeys({ query, options, choice, isCurrent, open, type, onClose }: BoxKeys) {
  const wanted = useRef<string>(undefined);
  useLayoutEffect(() => {
    const chosen = options[firstChoice(options)];
    if (wanted.current !== query || !isCurrent || !chosen) return;
    wanted.current = undefined;
    open(chosen);
  });
  return (event: KeyboardEvent) => {
    const chosen = options[choice.at];
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      onClose();
      navigate(searchPath(query));
    } else if (event.key === "Enter") {
      if (chosen && (isCurrent || chosen.kind === "action")) open(chosen);
      else wanted.current = query;
    } else if (event.key === "Tab" && !event.shiftKey && chosen?.query !== undefined && query.trim() !== "") {
      type(chosen.query);
    } else if (!choice.step(event.key)) return;
    event.preventDefault();
  };
}

interface Choice {
  readonly at: number;
  set(at: number): void;
  /** Whether the key moved it. */
  step(key: string): boolean;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

/** The chosen line: the best one until somebody chooses another. */
function useChoice(query: string, options: readonly BoxOption[]): Choice {
  const [chosen, setChosen] = useState<{ readonly query: string; readonly key: string }>();
  const known = chosen?.query === query ? options.findIndex(({ key }) => key === chosen.key) : -1;
  const at = known >= 0 ? known : firstChoice(options);
  const set = (next: number) => {
    const key = options[next]?.key;
    if (key !== undefined) setChosen({ query, key });
  };
  useLayoutEffect(() => {
    document.getElementById(`box-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return {
    at,
    set,
    step(key) {
      const by = STEPS[key];
      if (by === undefined) return false;
      const last = options.length - 1;
      const isOnce = Math.abs(by) === 1;
      set(isOnce ? (at + by + last + 1) % (last + 1) : Math.min(last, Math.max(0, at + by)));
      return true;
    },
  };
}

interface BoxTogglesProps {
  readonly query: string;
  readonly saved: readonly string[];
  onType(query: string): void;
}

function BoxToggles({ query, saved, onType }: BoxTogglesProps) {
  const isSaved = saved.includes(query.trim());
  const toggles = [
    [".*", "mode:regex", "Regular expression"],
    ["Aa", "case:yes", "Match case"],
  ] as const;
  return (
    <>
      {toggles.map(([sign, word, name]) => (
        <button
          key={word}
          type="button"
          class="box-toggle"
          title={`${name} (${word})`}
          aria-label={name}
          aria-pressed={query.toLowerCase().split(/\s+/).includes(word)}
          onClick={() => onType(toggleWord(query, word))}
        >
          {sign}
        </button>
      ))}
      <button
        type="button"
        class="sign-button"
        title={isSaved ? "Forget this search" : "Save this search"}
        aria-label="Saved search"
        aria-pressed={isSaved}
        disabled={query.trim() === ""}
        onClick={() => {
          toggleSaved(query);
          onType(query);
        }}
      >
        <UiIcon name="star" />
      </button>
    </>
  );
}

const OFFERED = [
  ["project:", "Project"],
  ["after:", "Date"],
  ["model:", "Model"],
  ["branch:", "Branch"],
  ["tool:", "Tool"],
  ["in:", "In"],
  ["is:error", "With failures"],
] as const;

interface FilterChipsProps {
  readonly query: string;
  readonly typed: readonly TypedFilter[];
  onType(query: string): void;
}

/** The filters in the query, to be removed, and others to be added. */
function FilterChips({ query, typed, onType }: FilterChipsProps) {
  const names = typed.map(({ name, value }) => (name === "is" ? `is:${value}` : `${name}:`));
  return (
    <ul class="chips" aria-label="Filters">
      {typed.map(({ name, value }) => (
        <li key={`${name}:${value}`}>
          <button type="button" class="chip" onClick={() => onType(withoutFilter(query, name, value))}>
            {name}: {neutralize(value)} <UiIcon name="close" />
            <span class="out-of-sight">remove this filter</span>
          </button>
        </li>
      ))}
      {OFFERED.filter(([word]) => !names.includes(word)).map(([word, label]) => (
        <li key={word}>
          <button
            type="button"
            class="chip offered"
            onClick={() =>
              onType(`${query.trim()}${query.trim() === "" ? "" : " "}${word}${word.endsWith(":") ? "" : " "}`)
            }
          >
            + {label}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface OptionsProps {
  readonly options: readonly BoxOption[];
  readonly at: number;
  onPoint(at: number): void;
  onOpen(option: BoxOption): void;
}

function Options({ options, at, onPoint, onOpen }: OptionsProps) {
  const groups = new Map<string, number[]>();
  for (const [index, { group }] of options.entries()) groups.set(group, [...(groups.get(group) ?? []), index]);
  return (
    <div id="box-options" class="box-options" role="listbox" aria-label="Found">
      {[...groups].map(([group, indexes]) => (
        <div key={group} role="group" aria-label={group}>
          <h3 role="presentation">{group}</h3>
          {indexes.map((index) => {
            const option = options[index];
            return option ? (
              <Option
                key={option.key}
                option={option}
                index={index}
                isChosen={index === at}
                onPoint={() => onPoint(index)}
                onOpen={() => onOpen(option)}
              />
            ) : null;
          })}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly option: BoxOption;
  readonly index: number;
  readonly isChosen: boolean;
  onPoint(): void;
  onOpen(): void;
}

function Option({ option, index, isChosen, onPoint, onOpen }: OptionProps) {
  const { kind, label, detail, at, keys, href, hit } = option;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field of the box has the focus and handles keys
    <a
      id={`box-${index}`}
      role="option"
      aria-selected={isChosen}
      class={`box-option of-${kind}`}
      tabIndex={-1}
      {...(href === undefined ? {} : { href })}
      onMouseMove={() => isChosen || onPoint()}
      // biome-ignore lint/a11y/useValidAnchor: it is a link wherever there is an address
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab
        event.preventDefault();
        onOpen();
      }}
    >
      {hit && kind === "turn" ? (
        <Snippet {...fromFirstMatch(hit)} />
      ) : (
        <span class="box-label" dir="auto">
          {label}
        </span>
      )}
      <span class="box-detail">{detail}</span>
      {at === null ? null : <time title={formatTime(at)}>{dayLabel(at)}</time>}
      {keys === undefined ? null : <kbd>{keys}</kbd>}
    </a>
  );
}
