import { useEffect, useState } from "preact/hooks";
import type { SessionOrder } from "../../server/api/sessions.js";

/** Which sessions the list shows, and in which order. */
export interface ListFilter {
  readonly text: string;
  readonly project: string;
  readonly since: string;
  readonly until: string;
  readonly sort: SessionOrder;
  readonly only: "" | "favourites" | "errors";
  readonly tag: string;
}

const EVERYTHING: ListFilter = { text: "", project: "", since: "", until: "", sort: "activity", only: "", tag: "" };

const listeners = new Set<(filter: ListFilter) => void>();
let current = EVERYTHING;

/** The list keeps its filter while somebody reads a session or looks at insights. */
export function useListFilter(): ListFilter {
  const [filter, setFilter] = useState(current);
  useEffect(() => {
    setFilter(current);
    listeners.add(setFilter);
    return () => void listeners.delete(setFilter);
  }, []);
  return filter;
}

export function setListFilter(change: Partial<ListFilter>): void {
  current = { ...current, ...change };
  for (const listener of listeners) listener(current);
}

export function clearListFilter(): void {
  setListFilter({ ...EVERYTHING, sort: current.sort });
}

export function isFiltered({ text, project, since, until, only, tag }: ListFilter): boolean {
  return [text, project, since, until, only, tag].some((value) => value !== "");
}

/** As the API wants it, without offset and limit. */
export function filterFields({ text, project, since, until, sort, only, tag }: ListFilter): string {
  const fields = new URLSearchParams({ sort });
  const given = Object.entries({ q: text, project, since, until, tag });
  for (const [name, value] of given) if (value !== "") fields.set(name, value);
  if (only !== "") fields.set(only, "1");
  return fields.toString();
}
