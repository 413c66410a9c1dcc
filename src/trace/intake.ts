import type { Outbox, Parcel, Progress } from "./outbox.js";

/** The way into the outbox, in portions: to wait for the disk after each turn would take longer than all the rest. */
export interface Intake {
  add(parcels: readonly Parcel[]): void;
  flush(progress?: Progress): void;
  /** Spans that were new to some target, of all that was flushed. */
  newSpans(): number;
  /** Bytes that were flushed. */
  storedBytes(): number;
}

const PORTION_BYTES = 4_000_000;

export function openIntake(outbox: Outbox): Intake {
  let waiting: Parcel[] = [];
  let waitingBytes = 0;
  let storedBytes = 0;
  let newSpans = 0;

  function flush(progress?: Progress): void {
    newSpans += outbox.store(waiting, progress);
    storedBytes += waitingBytes;
    waiting = [];
    waitingBytes = 0;
  }

  return {
    add: (parcels) => {
      for (const parcel of parcels) {
        waiting.push(parcel);
        waitingBytes += parcel.spans.reduce((sum, { json }) => sum + json.length, 0);
      }
      if (waitingBytes >= PORTION_BYTES) flush();
    },
    flush,
    newSpans: () => newSpans,
    storedBytes: () => storedBytes,
  };
}
