import { Hono } from "hono";
import type { ServerEvent } from "../api/events.js";
import { failure } from "../http/send-answer.js";
import type { ServedLibrary } from "../library/served-library.js";

const MAX_LISTENERS = 32;
const HEARTBEAT_MS = 15_000;
/** A client with more unread events is disconnected. */
const UNREAD_EVENTS = 1000;

/** Streams every event of the library until the client disconnects or the server closes. */
export function eventRoutes({ hub, sync, live }: ServedLibrary, closing: AbortSignal): Hono {
  const app = new Hono();
  const streams = new Set<() => void>();
  closing.addEventListener("abort", () => {
    for (const close of streams) close();
  });

  app.get("/events", (c) => {
    if (streams.size >= MAX_LISTENERS) return failure(c, 429, "rate", "too many open pages", "close some of them");
    let end = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (text: string) => {
          if ((controller.desiredSize ?? 0) < -UNREAD_EVENTS) close();
          else controller.enqueue(Buffer.from(text));
        };
        const stopListening = hub.listen((event) => send(toText(event)));
        const stopAttending = live.attend();
        const heartbeat = setInterval(() => send(": still here\n\n"), HEARTBEAT_MS);
        const close = () => {
          end();
          controller.close();
        };
        end = () => {
          streams.delete(close);
          stopListening();
          stopAttending();
          clearInterval(heartbeat);
        };
        streams.add(close);
        send(toText({ kind: "index", index: sync.state }));
        if (closing.aborted) close();
      },
      cancel: () => end(),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
  });

  return app;
}

function toText(event: ServerEvent): string {
  return `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}
