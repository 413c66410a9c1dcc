import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FacetsAnswer, SessionOrder } from "../../server/api/list.js";
import { useAnswer } from "../api.js";
import { navigate } from "../router.js";
import { useServerEvents } from "../server-events.js";

/** Filter and order of the session list. */
export interface ListFilter {
  readonly text: string;
  readonly project: string;
  readonly since: string;
  readonly until: string;
  readonly sort: SessionOrder;
  readonly only: "" | "favourites" | "errors";
  readonly tag: string;
  readonly model: string;
  readonly tool: string;
  readonly branch: string;
  readonly pr: string;
}

const EVERYTHING: ListFilter = {
  text: "",
  project: "",
  since: "",
  until: "",
  sort: "activity",
  only: "",
  tag: "",
  model: "",
  tool: "",
  branch: "",
  pr: "",
};

const listeners = new Set<(filter: ListFilter) => void>();
let current = EVERYTHING;

/** The filter is kept while a session or the insights are shown. */
export function useListFilter(): ListFilter {
  const [filter, setFilter] = useState(current);
  useLayoutEffect(() => {
    setFilter(current);
    listeners.add(setFilter);
    return () => void listeners.delete(setFilter);
  }, []);
  return filter;
}

/** Also changes the address while the list is shown. */
export function setListFilter(change: Partial<ListFilter>): void {
  take({ ...current, ...change });
  if (location.pathname === "/") navigate(listPath(), { replace: true });
}

export function clearListFilter(): void {
  setListFilter({ ...EVERYTHING, sort: current.sort });
}

/** Takes the filter from the address of the list. */
export function adoptListFilter(search: string): void {
  const fields = new URLSearchParams(search);
  const text = (name: string) => fields.get(name) ?? "";
  const only = fields.has("favourites") ? "favourites" : fields.has("errors") ? "errors" : "";
  const filter: ListFilter = {
    text: text("q"),
    project: text("project"),
    since: text("since"),
    until: text("until"),
    sort: (fields.get("sort") as SessionOrder | null) ?? EVERYTHING.sort,
    only,
    tag: text("tag"),
    model: text("model"),
    tool: text("tool"),
    branch: text("gitBranch"),
    pr: text("pr"),
  };
  if (filterFields(filter) !== filterFields(current)) take(filter);
}

/** The address of the list with the current filter, or with only the given one. */
export function listPath(given?: Partial<ListFilter>): string {
  const fields = new URLSearchParams(filterFields(given ? { ...EVERYTHING, ...given } : current));
  if (fields.get("sort") === EVERYTHING.sort) fields.delete("sort");
  return fields.size === 0 ? "/" : `/?${fields}`;
}

export function isFiltered(filter: ListFilter): boolean {
  return filterFields({ ...filter, sort: EVERYTHING.sort }) !== filterFields(EVERYTHING);
}

/** The query parameters of the API, without offset and limit. */
export function filterFields({ text, sort, only, branch: gitBranch, ...others }: ListFilter): string {
  const fields = new URLSearchParams({ sort });
  const given = Object.entries({ q: text, ...others, gitBranch });
  for (const [name, value] of given) if (value !== "") fields.set(name, value);
  if (only !== "") fields.set(only, "1");
  return fields.toString();
}

function take(filter: ListFilter): void {
  current = filter;
  for (const listener of listeners) listener(current);
}

const WHILE_BUILDING_MS = 2000;

/** The values that filters offer, as far as the index is built. */
export function useFacets(): FacetsAnswer | undefined {
  const { answer, reload } = useAnswer<FacetsAnswer>("/api/facets");
  const asked = useRef(0);
  useServerEvents((event) => {
    const isBuilding = event.kind === "index" && event.index.state !== "ready";
    if (isBuilding && Date.now() - asked.current < WHILE_BUILDING_MS) return;
    if (event.kind !== "marks" && event.kind !== "index") return;
    asked.current = Date.now();
    reload();
  });
  return answer;
}
