import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.js";

/** Nothing is there, and that is told in words. */
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
  /** What else can be done. */
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

/** The same within a dialog, which has a heading of its own. */
export function Refusal({ problem: { message, hint } }: { readonly problem: ApiError }) {
  return (
    <div class="report" role="alert">
      <p>{message}</p>
      {hint === null ? null : <p class="quiet">{hint}</p>}
    </div>
  );
}

/** Shown late by the style: what answers at once should not flicker. */
export function LoadingState({ label = "Loading" }: { readonly label?: string }) {
  return (
    <div class="state loading" role="status">
      {label} …
    </div>
  );
}
