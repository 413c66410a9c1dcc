import type { IndexState } from "./start.js";

/** `GET /api/events`: each as one server-sent event, named by its kind. */
export type ServerEvent =
  | { readonly kind: "sessions"; readonly changes: readonly SessionChange[] }
  | { readonly kind: "index"; readonly index: IndexState }
  | { readonly kind: "marks"; readonly ids: readonly string[] }
  | { readonly kind: "trash" };

export interface SessionChange {
  readonly id: string;
  /** Set when a sub-agent's file changed. */
  readonly agentId: string | null;
  readonly change: "created" | "appended" | "rewritten" | "gone";
}
