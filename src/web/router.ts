import { useLayoutEffect, useState } from "preact/hooks";

const listeners = new Set<() => void>();

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location));
  useLayoutEffect(() => {
    const update = () => setRoute(parseRoute(location));
    listeners.add(update);
    return () => void listeners.delete(update);
  }, []);
  return route;
}

export function navigate(path: string, { replace = false } = {}): void {
  if (path === location.pathname + location.search + location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", path);
  notify();
}

/** Changes the address without navigating. */
export function replaceAddress(path: string): void {
  history.replaceState(null, "", path);
}

/** Handles links inside the web UI without reloading it. */
export function startRouter(): void {
  addEventListener("popstate", notify);
  addEventListener("click", (event) => {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!isPlain || !link || event.defaultPrevented || link.origin !== location.origin || link.download) return;
    if (link.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
}

function notify(): void {
  for (const listener of listeners) listener();
}

/** The current page, as the address names it. */
export type Route =
  | { readonly page: "sessions"; readonly fields: string }
  | SessionRoute
  | { readonly page: "search"; readonly query: string }
  | { readonly page: "now" }
  | { readonly page: "insights" }
  | CompareRoute
  | BlameRoute
  | { readonly page: "trash" }
  | { readonly page: "unknown" };

/** Two sessions, or two branches of one. */
export interface CompareRoute {
  readonly page: "compare";
  readonly a: string;
  readonly b: string;
  readonly branchA: string | null;
  readonly branchB: string | null;
}

/** Who wrote a file. */
export interface BlameRoute {
  readonly page: "blame";
  readonly file: string; // "": not chosen yet
  readonly line: number | null;
}

export interface SessionRoute {
  readonly page: "session";
  readonly id: string;
  readonly turn: number | null;
  /** A place in the turn, such as a call. */
  readonly anchor: string;
  readonly branch: string | null;
  /** The search that led here; its words are highlighted. */
  readonly query: string;
  readonly view: SessionViewName;
}

/** The text alone, with the timeline above it, or what the session changed. */
export type SessionViewName = "text" | "timeline" | "changes";

export function parseRoute({ pathname, search, hash }: Pick<URL, "pathname" | "search" | "hash">): Route {
  const [first = "", id, t, turn] = pathname.split("/").slice(1);
  const fields = new URLSearchParams(search);
  const query = fields.get("q") ?? "";
  if (first === "") return { page: "sessions", fields: fields.toString() };
  if (first === "compare") return parseCompare(fields);
  if (first === "blame") {
    return { page: "blame", file: fields.get("file") ?? "", line: Number(fields.get("line")) || null };
  }
  if (first === "search") return { page: "search", query };
  if (first === "now" || first === "insights" || first === "trash") return { page: first };
  if (first !== "s" || !id) return { page: "unknown" };
  return {
    page: "session",
    id: decode(id),
    turn: t === "t" && turn !== undefined && /^\d+$/.test(turn) ? Number(turn) : null,
    anchor: decode(hash.slice(1)),
    branch: fields.get("branch"),
    query,
    view: parseView(fields.get("view")),
  };
}

function parseView(view: string | null): SessionViewName {
  return view === "timeline" || view === "changes" ? view : "text";
}

function parseCompare(fields: URLSearchParams): Route {
  const [a, b] = [fields.get("a"), fields.get("b")];
  if (!a || !b) return { page: "unknown" };
  return { page: "compare", a, b, branchA: fields.get("branchA"), branchB: fields.get("branchB") };
}

export function comparePath({ a, b, branchA, branchB }: Omit<CompareRoute, "page">): string {
  return `/compare?${compareFields({ a, b, branchA, branchB })}`;
}

/** The API uses the same parameters. */
export function compareFields({ a, b, branchA, branchB }: Omit<CompareRoute, "page">): URLSearchParams {
  return new URLSearchParams({ a, b, ...(branchA ? { branchA } : {}), ...(branchB ? { branchB } : {}) });
}

export function blamePath(file: string): string {
  return `/blame?${new URLSearchParams({ file })}`;
}

export interface PlaceInSession {
  readonly turn?: number | null;
  readonly anchor?: string;
  readonly branch?: string | null;
  readonly query?: string;
  readonly view?: SessionViewName;
}

export function sessionPath(id: string, { turn, anchor, branch, query, view = "text" }: PlaceInSession = {}): string {
  const fields = new URLSearchParams({
    ...(view === "text" ? {} : { view }),
    ...(branch ? { branch } : {}),
    ...(query ? { q: query } : {}),
  }).toString();
  const place = turn == null ? "" : `/t/${turn}`;
  return `/s/${encodeURIComponent(id)}${place}${fields && `?${fields}`}${anchor ? `#${encodeURIComponent(anchor)}` : ""}`;
}

export function searchPath(query: string): string {
  return `/search?${new URLSearchParams({ q: query })}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
