import { formatCount, formatTime } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { FacetsAnswer, SessionOrder } from "../../server/api/list.js";
import { distinguishProjects } from "../labels.js";
import { UiIcon } from "../shell/controls.js";
import { clearListFilter, isFiltered, type ListFilter, setListFilter } from "./list-filter.js";

const TIMES: readonly (readonly [string, string])[] = [
  ["", "Any time"],
  ["1d", "Last day"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"],
];

/** Adds the day or five-hour block that was chosen in the insights. */
function timesFor({ since, until }: ListFilter): typeof TIMES {
  if (TIMES.some(([known]) => known === since) && until === "") return TIMES;
  return [...TIMES, [since, since.length > 10 ? formatTime(since) : since]];
}

const ORDERS: readonly (readonly [SessionOrder, string])[] = [
  ["activity", "Latest first"],
  ["started", "By start time"],
  ["project", "By project"],
  ["title", "By title"],
  ["turns", "Most turns"],
  ["tools", "Most tool calls"],
  ["errors", "Most failures"],
  ["cost", "Most expensive"],
  ["tokens", "Most tokens"],
  ["size", "Largest"],
];

const ONLY = { favourites: "favourites", errors: "with failures" } as const;

interface FilterBarProps {
  readonly filter: ListFilter;
  readonly facets: FacetsAnswer | undefined;
  readonly total: number | undefined; // undefined until it is known
}

export function FilterBar({ filter, facets, total }: FilterBarProps) {
  const labels = distinguishProjects((facets?.projects ?? []).map(({ name }) => name));
  const projects = [...labels].map(
    ([path, { name, above }]) => [path, neutralize(above === "" ? name : `${name} (${above})`)] as const,
  );
  return (
    <div class="filters">
      <div class="choices">
        <Choice
          label="Project"
          value={filter.project}
          options={[["", "All projects"], ...projects]}
          onChoose={(project) => setListFilter({ project })}
        />
        <Choice
          label="Time"
          value={filter.since}
          options={timesFor(filter)}
          onChoose={(since) => setListFilter({ since, until: "" })}
        />
        <MoreFilters facets={facets} />
      </div>
      <FilterChips filter={filter} />
      <div class="list-order">
        <p class="total" role="status">
          {total === undefined ? "" : formatCount(total, "session")}
          {isFiltered(filter) ? (
            <button type="button" class="link" onClick={clearListFilter}>
              Show all
            </button>
          ) : null}
        </p>
        <Choice label="Order" value={filter.sort} options={ORDERS} onChoose={(sort) => setListFilter({ sort })} />
      </div>
    </div>
  );
}

const MORE = [
  ["model", "Model", "models"],
  ["branch", "Branch", "gitBranches"],
  ["tool", "Tool", "tools"],
  ["tag", "Tag", "tags"],
] as const;

/** Filters that are used less; a chosen one becomes a chip. */
function MoreFilters({ facets }: Pick<FilterBarProps, "facets">) {
  const kinds = MORE.filter(([, , facet]) => (facets?.[facet].length ?? 0) > 0);
  return (
    <select
      class="choice"
      aria-label="More filters"
      value=""
      onChange={({ currentTarget }) => {
        const [name = "", ...value] = currentTarget.value.split(":");
        currentTarget.value = "";
        if (value.length > 0) setListFilter({ [name]: value.join(":") });
      }}
    >
      <option value="">More …</option>
      <optgroup label="Only">
        {Object.entries(ONLY).map(([value, label]) => (
          <option key={value} value={`only:${value}`}>
            {label}
          </option>
        ))}
      </optgroup>
      {kinds.map(([name, label, facet]) => (
        <optgroup key={name} label={label}>
          {facets?.[facet].map(({ name: value, sessions }) => (
            <option key={value} value={`${name}:${value}`}>
              {neutralize(value)} ({sessions})
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

const CHIP_NAMES = {
  text: "title",
  model: "model",
  branch: "branch",
  tool: "tool",
  tag: "tag",
  pr: "pull request",
} as const;

/** Filters without a field of their own; each can be removed. */
function FilterChips({ filter }: { readonly filter: ListFilter }) {
  const names = (["text", "model", "branch", "tool", "tag", "pr"] as const).filter((name) => filter[name] !== "");
  if (names.length === 0 && filter.only === "") return null;
  return (
    <ul class="chips" aria-label="Filters">
      {filter.only === "" ? null : (
        <li>
          <button type="button" class="chip" onClick={() => setListFilter({ only: "" })}>
            {ONLY[filter.only]} <UiIcon name="close" />
            <span class="out-of-sight">remove this filter</span>
          </button>
        </li>
      )}
      {names.map((name) => (
        <li key={name}>
          <button type="button" class="chip" onClick={() => setListFilter({ [name]: "" })}>
            {CHIP_NAMES[name]}: {neutralize(filter[name])} <UiIcon name="close" />
            <span class="out-of-sight">remove this filter</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  onChoose(value: Value): void;
}

function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <select
      class={value === "" || value === "activity" ? "choice" : "choice chosen"}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => {
        const [chosen] = options[currentTarget.selectedIndex] ?? [];
        if (chosen !== undefined) onChoose(chosen);
      }}
    >
      {options.map(([option, words]) => (
        <option key={option} value={option}>
          {words}
        </option>
      ))}
    </select>
  );
}
