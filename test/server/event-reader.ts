import type { ServerEvent } from "../../src/server/api/events.js";

export interface EventReader {
  /** The next matching event; earlier ones are skipped. */
  next(isWanted: (event: ServerEvent) => boolean): Promise<ServerEvent>;
  /** Whether the stream ends. */
  ended(): Promise<boolean>;
  cancel(): Promise<void>;
}

/** Reads server-sent events as a browser does. */
export function readEvents(response: Response): EventReader {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  const decoder = new TextDecoder();
  let text = "";

  async function take(): Promise<ServerEvent | undefined> {
    for (;;) {
      const at = text.indexOf("\n\n");
      if (at >= 0) {
        const data = /^data: (.*)$/m.exec(text.slice(0, at))?.[1];
        text = text.slice(at + 2);
        if (data !== undefined) return JSON.parse(data) as ServerEvent;
        continue;
      }
      const { value, done } = await reader.read();
      if (done) return undefined;
      text += decoder.decode(value, { stream: true });
    }
  }

  return {
    async next(isWanted) {
      for (;;) {
        const event = await take();
        if (!event) throw new Error("the events ended");
        if (isWanted(event)) return event;
      }
    },
    async ended() {
      while (await take());
      return true;
    },
    cancel: () => reader.cancel(),
  };
}
