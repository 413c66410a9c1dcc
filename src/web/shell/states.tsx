import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatCount, formatNumber } from "../../render/format-values.js";
import type { ApiError } from "../api.js";
import { useIndexState, useServerEvents } from "../server-events.js";

export function EmptyState({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

interface FailedStateProps {
  readonly failure: ApiError;
  onRetry?(): void;
  /** Further actions. */
  readonly children?: ComponentChildren;
}

export function FailedState({ failure, onRetry, children }: FailedStateProps) {
  return (
    <div class="state" role="alert">
      <h1>{failure.message}</h1>
      {failure.hint === null ? null : <p>{failure.hint}</p>}
      {onRetry ? (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      ) : null}
      {children}
    </div>
  );
}

/** The same inside a dialog, which has its own heading. */
export function Refusal({ problem: { message, hint } }: { readonly problem: ApiError }) {
  return (
    <div class="report" role="alert">
      <p>{message}</p>
      {hint === null ? null : <p class="quiet">{hint}</p>}
    </div>
  );
}

/** The style shows it after a delay, so that quick answers do not flicker. */
export function LoadingState({ label = "Loading" }: { readonly label?: string }) {
  return (
    <div class="state loading" role="status">
      {label} …
    </div>
  );
}

const PATIENCE_MS = 1500; // a shorter interruption is not shown

/** Shown while the server does not answer. */
export function ConnectionNotice() {
  const [isInterrupted, setInterrupted] = useState(false);
  const [isShown, setShown] = useState(false);
  useServerEvents(({ kind }) => {
    if (kind === "connected" || kind === "interrupted") setInterrupted(kind === "interrupted");
  });
  useEffect(() => {
    if (!isInterrupted) return setShown(false);
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isInterrupted]);
  if (!isShown) return null;
  return (
    <p class="page-notice connection" role="alert">
      turnlog is not responding. Start it again, and open the address it prints. Loaded content can still be read.
    </p>
  );
}

/** Shown while the index is being built. */
export function IndexProgress() {
  const index = useIndexState();
  if (index?.state !== "syncing" || index.files === 0) return null;
  return (
    <p class="indexing" role="status">
      <progress max={Math.max(1, index.bytes)} value={index.bytesDone} aria-label="Indexing" />{" "}
      {index.phase === "catalog"
        ? `reading ${formatNumber(index.filesDone)} of ${formatCount(index.files, "file")}`
        : `indexing words, ${Math.floor((100 * index.bytesDone) / Math.max(1, index.bytes))} %`}
    </p>
  );
}
