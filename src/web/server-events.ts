import { useLayoutEffect, useRef } from "preact/hooks";
import type { ServerEvent } from "../server/api/events.js";

/** `connected` comes first, and again after each time it was `interrupted`: what happened before was not told. */
type HeardEvent = ServerEvent | { readonly kind: "connected" | "interrupted" };
type Listener = (event: HeardEvent) => void;

const KINDS: readonly ServerEvent["kind"][] = ["sessions", "index", "marks", "trash"];
const listeners = new Set<Listener>();
let isListening = false;

/** What happens on disk, or through another window. */
export function useServerEvents(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useLayoutEffect(() => {
    const call: Listener = (event) => latest.current(event);
    listeners.add(call);
    if (!isListening) listen();
    isListening = true;
    return () => void listeners.delete(call);
  }, []);
}

/** The browser connects again by itself. */
function listen(): void {
  const events = new EventSource("/api/events");
  events.addEventListener("open", () => tell({ kind: "connected" }));
  events.addEventListener("error", () => tell({ kind: "interrupted" }));
  for (const kind of KINDS) {
    events.addEventListener(kind, ({ data }: MessageEvent<string>) => tell(JSON.parse(data) as ServerEvent));
  }
}

function tell(event: HeardEvent): void {
  for (const listener of listeners) listener(event);
}
