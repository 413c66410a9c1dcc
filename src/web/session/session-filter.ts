import type { OutlineTurn } from "../../server/api/session.js";
import type { ServedItem } from "../../server/api/turns.js";

/** What of a session is shown. */
export interface SessionFilter {
  readonly tool: string;
  readonly isErrorsOnly: boolean;
}

export const EVERYTHING: SessionFilter = { tool: "", isErrorsOnly: false };

export function isEverything({ tool, isErrorsOnly }: SessionFilter): boolean {
  return tool === "" && !isErrorsOnly;
}

export function isFailure(status: string): boolean {
  return status !== "ok" && status !== "orphan";
}

export function failuresOf({ calls, apiErrors }: OutlineTurn): number {
  return apiErrors + calls.filter(({ status }) => isFailure(status)).length;
}

export function isTurnShown(turn: OutlineTurn, filter: SessionFilter): boolean {
  if (isEverything(filter)) return true;
  const calls = turn.calls.filter(({ name }) => filter.tool === "" || name === filter.tool);
  if (!filter.isErrorsOnly) return calls.length > 0;
  return calls.some(({ status }) => isFailure(status)) || (filter.tool === "" && turn.apiErrors > 0);
}

export function isItemShown(item: ServedItem, filter: SessionFilter): boolean {
  if (isEverything(filter)) return true;
  if (item.kind === "text") return item.isApiError && filter.tool === "";
  if (item.kind !== "call") return false;
  const isTool = filter.tool === "" || item.call.name === filter.tool;
  return isTool && (!filter.isErrorsOnly || isFailure(item.call.status));
}
