import { useEffect, useState } from "preact/hooks";
import { useServerEvents } from "../server-events.js";

const PATIENCE_MS = 1500; // a connection that is back by then was not missed

/** Says that turnlog was stopped, until it is there again. */
export function ConnectionNotice() {
  const [isInterrupted, setInterrupted] = useState(false);
  const [isTold, setTold] = useState(false);
  useServerEvents(({ kind }) => {
    if (kind === "connected" || kind === "interrupted") setInterrupted(kind === "interrupted");
  });
  useEffect(() => {
    if (!isInterrupted) return setTold(false);
    const timer = setTimeout(() => setTold(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isInterrupted]);
  if (!isTold) return null;
  return (
    <p class="page-notice connection" role="alert">
      turnlog does not answer. Start it again, and open the address it prints; what is loaded can still be read.
    </p>
  );
}
