import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ServerEvent } from "../server/api/events.js";
import type { IndexState } from "../server/api/start.js";

/** `connected` comes first, and after each `interrupted`: events in between are missed. */
type ReceivedEvent = ServerEvent | { readonly kind: "connected" | "interrupted" };
type Listener = (event: ReceivedEvent) => void;

const KINDS: readonly ServerEvent["kind"][] = ["sessions", "index", "marks", "live", "trash"];
const listeners = new Set<Listener>();
const RETRY_MS = 3000;
let source: EventSource | undefined;
let retry = 0;
let isListening = false;
let index: IndexState | undefined;

/** Listens to changes on disk, and to those made in other windows. */
export function useServerEvents(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useLayoutEffect(() => {
    const call: Listener = (event) => latest.current(event);
    listeners.add(call);
    if (!isListening) listenWhileSeen();
    isListening = true;
    return () => void listeners.delete(call);
  }, []);
}

/** The last known state, also from before the component was mounted. */
export function useIndexState(): IndexState | undefined {
  const [state, setState] = useState(index);
  useServerEvents((event) => {
    if (event.kind === "index") setState(event.index);
  });
  return state;
}

/** Only while the page is visible: browsers allow six connections per server, for all tabs together. */
function listenWhileSeen(): void {
  const update = () => (document.hidden && !isWatcher ? stop() : listen());
  document.addEventListener("visibilitychange", update);
  update();
}

let isWatcher = false;
let giveUpWatch: (() => void) | undefined;

/** Of all hidden tabs one keeps listening, so that it can notify. */
export function keepListeningWhileHidden(isWanted: boolean): void {
  giveUpWatch?.();
  giveUpWatch = undefined;
  if (!isWanted) return;
  const giveUp = new AbortController();
  const held = new Promise<void>((resolve) => {
    giveUpWatch = () => {
      isWatcher = false;
      giveUp.abort();
      resolve();
    };
  });
  const watch = () => {
    isWatcher = true;
    if (document.hidden && isListening) listen();
    return held;
  };
  void navigator.locks?.request("turnlog-watcher", { signal: giveUp.signal }, watch).catch(() => undefined);
}

function listen(): void {
  stop();
  const events = new EventSource("/api/events");
  events.addEventListener("open", () => notify({ kind: "connected" }));
  events.addEventListener("error", () => {
    notify({ kind: "interrupted" });
    // The browser reconnects by itself unless it was refused, as by a turnlog that was restarted.
    if (events.readyState === EventSource.CLOSED) retry = window.setTimeout(listen, RETRY_MS);
  });
  for (const kind of KINDS) {
    events.addEventListener(kind, ({ data }: MessageEvent<string>) => notify(JSON.parse(data) as ServerEvent));
  }
  source = events;
}

function stop(): void {
  clearTimeout(retry);
  source?.close();
}

function notify(event: ReceivedEvent): void {
  if (event.kind === "index") index = event.index;
  for (const listener of listeners) listener(event);
}
