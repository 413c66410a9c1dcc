import { useRef } from "preact/hooks";
import { say } from "../../render/html/page-script/say.js";
import type { OutlineTurn, SessionAnswer } from "../../server/api/session.js";
import { type SessionRoute, sessionPath } from "../routes.js";
import { useKeys } from "../shell/use-keys.js";
import { copyText } from "./copy-text.js";
import { isCallShown, isFailure, isTurnShown, type SessionFilter } from "./session-filter.js";
import { callAnchor } from "./show-target.js";

interface SessionKeysOptions {
  readonly session: SessionAnswer;
  readonly filter: SessionFilter;
  readonly current: number;
  readonly route: Pick<SessionRoute, "id" | "branch">;
  goTo(turn: number, anchor?: string): void;
  goToEnd(): void;
  onFind(): void;
}

export function useSessionKeys({ session, filter, current, route, ...go }: SessionKeysOptions): void {
  const { goTo, goToEnd, onFind } = go;
  const turns = session.turns.filter((turn) => isTurnShown(turn, filter));
  const step = (by: 1 | -1) => {
    const next = by === 1 ? turns.find(({ index }) => index > current) : turns.findLast(({ index }) => index < current);
    const turn = next ?? (by === -1 ? turns[0] : undefined);
    if (turn) goTo(turn.index);
  };
  const gone = useRef<string>(undefined); // to which call, until it has the focus
  const stepCall = (by: 1 | -1, isWanted: (status: string) => boolean, otherwise: string) => {
    const calls = callsFrom(turns, filter, current, by).filter(({ status }) => isWanted(status));
    const here = focusedCall()?.id ?? gone.current;
    const next = calls[calls.findIndex(({ anchor }) => anchor === here) + 1];
    if (!next) return say(otherwise);
    focusedCall()?.querySelector<HTMLElement>("summary")?.blur();
    gone.current = next.anchor;
    goTo(next.turn, next.anchor);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    "]": () => stepCall(1, isCall, "no call after this"),
    "[": () => stepCall(-1, isCall, "no call before this"),
    e: () => stepCall(1, isFailure, "no failure after this"),
    f: onFind,
    o: toggleHere,
    O: () => toggle(".turns details"),
    t: () => toggle(".turns details.thinking"),
    c: () => void copyText(location.origin + pathHere(route, current), "Link"),
    Home: () => goTo(0),
    End: goToEnd,
  });
}

interface PlacedCall {
  readonly turn: number;
  readonly anchor: string;
  readonly status: string;
}

/** From the reader's turn on, or from there back. */
function callsFrom(turns: readonly OutlineTurn[], filter: SessionFilter, current: number, by: 1 | -1): PlacedCall[] {
  const ahead = turns.filter(({ index }) => (by === 1 ? index >= current : index <= Math.max(1, current)));
  const calls = ahead.flatMap(({ index, calls: own, apiErrors }) => [
    ...own
      .filter((call) => isCallShown(call, filter))
      .map((call) => ({ turn: index, anchor: callAnchor(call.id), status: call.status })),
    ...(apiErrors > 0 && index !== current ? [{ turn: index, anchor: "", status: API_ERROR }] : []),
  ]);
  return by === 1 ? calls : calls.reverse();
}

/** It has no place of its own in its turn. */
const API_ERROR = "API error";

function isCall(status: string): boolean {
  return status !== API_ERROR;
}

function focusedCall(): Element | null | undefined {
  return document.activeElement?.closest(".turns .call");
}

/** To the call that has the focus, else to the turn. */
function pathHere({ id, branch }: SessionKeysOptions["route"], current: number): string {
  const call = focusedCall();
  const turn = Number(call?.closest<HTMLElement>(".slot")?.dataset["key"] ?? Math.max(1, current));
  return sessionPath(id, { turn, branch, anchor: call?.id ?? "" });
}

function toggleHere(): void {
  const here = document.activeElement?.closest<HTMLDetailsElement>(".turns details");
  if (here) here.open = !here.open;
  else toggle(".turns details");
}

/** Opens all, or closes all where none is closed. */
function toggle(selector: string): void {
  const folds = [...document.querySelectorAll<HTMLDetailsElement>(selector)];
  const isOpening = folds.some(({ open }) => !open);
  for (const fold of folds) fold.open = isOpening;
}
