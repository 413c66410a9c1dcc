import type { OutlineCall, OutlineTurn, ServedItem } from "../../server/api/session.js";

/** Selects the turns, calls and texts to show. */
export interface TurnFilter {
  readonly tool: string;
  readonly isErrorsOnly: boolean;
  /** Show only turns that touched this file. */
  readonly file: { readonly path: string; readonly name: string; readonly turns: readonly number[] } | null;
}

export const EVERYTHING: TurnFilter = { tool: "", isErrorsOnly: false, file: null };

export function isEverything({ tool, isErrorsOnly, file }: TurnFilter): boolean {
  return tool === "" && !isErrorsOnly && file === null;
}

/** A call that was denied or interrupted did not fail. */
export function isFailure(status: string): boolean {
  return status === "error";
}

export function failuresOf({ calls, apiErrors }: OutlineTurn): number {
  return apiErrors + calls.filter(({ status }) => isFailure(status)).length;
}

export function isTurnShown(turn: OutlineTurn, filter: TurnFilter): boolean {
  if (isEverything(filter)) return true;
  if (filter.file) return filter.file.turns.includes(turn.index);
  const isApiError = filter.isErrorsOnly && filter.tool === "" && turn.apiErrors > 0;
  return isApiError || turn.calls.some((call) => isCallShown(call, filter));
}

export function isItemShown(item: ServedItem, filter: TurnFilter): boolean {
  if (isEverything(filter) || filter.file) return true;
  if (item.kind === "text") return item.isApiError && filter.tool === "";
  return item.kind === "call" && isCallShown(item.call, filter);
}

export function isCallShown(
  { name, status }: Pick<OutlineCall, "name" | "status">,
  { tool, isErrorsOnly }: TurnFilter,
): boolean {
  return (tool === "" || name === tool) && (!isErrorsOnly || isFailure(status));
}
