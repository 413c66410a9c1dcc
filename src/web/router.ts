import { useLayoutEffect, useState } from "preact/hooks";
import { parseRoute, type Route } from "./routes.js";

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
  tell();
}

/** Says where the reader is without going anywhere. */
export function noteAddress(path: string): void {
  history.replaceState(null, "", path);
}

/** Links within the page change the address without loading it again; Back works. */
export function startRouter(): void {
  addEventListener("popstate", tell);
  addEventListener("click", (event) => {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!isPlain || !link || event.defaultPrevented || link.origin !== location.origin || link.download) return;
    if (link.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
}

function tell(): void {
  for (const listener of listeners) listener();
}
