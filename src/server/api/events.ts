import type { LiveEvent } from "../../app/live/live-events.js";
import type { IndexState } from "./start.js";

/** `GET /api/events`: each as one server-sent event, named by its kind. */
export type ServerEvent =
  | { readonly kind: "sessions"; readonly changes: readonly SessionChange[] }
  | { readonly kind: "index"; readonly index: IndexState }
  | { readonly kind: "marks"; readonly ids: readonly string[] }
  | { readonly kind: "live"; readonly news: readonly LiveNews[] }
  | { readonly kind: "trash" };

export interface SessionChange {
  readonly id: string;
  /** Set when a sub-agent's file changed. */
  readonly agentId: string | null;
  readonly change: "created" | "appended" | "rewritten" | "gone";
}

/** Something that a person wants to hear of without looking: a running session began to wait, is stuck, failed or finished. */
export interface LiveNews extends Pick<LiveEvent, "kind" | "text"> {
  readonly id: string;
  readonly title: string | null;
}
