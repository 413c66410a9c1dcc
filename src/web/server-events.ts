import { useEffect, useRef } from "preact/hooks";
import type { ServerEvent } from "../server/api/events.js";

type Listener = (event: ServerEvent) => void;

const KINDS: readonly ServerEvent["kind"][] = ["sessions", "index", "marks", "trash"];
const listeners = new Set<Listener>();
let isListening = false;

/** What happens on disk, or through another window. */
export function useServerEvents(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const call: Listener = (event) => latest.current(event);
    listeners.add(call);
    if (!isListening) listen();
    isListening = true;
    return () => void listeners.delete(call);
  }, []);
}

/** The browser connects again by itself; the state of the index then comes first. */
function listen(): void {
  const events = new EventSource("/api/events");
  for (const kind of KINDS) {
    events.addEventListener(kind, ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as ServerEvent;
      for (const listener of listeners) listener(event);
    });
  }
}
