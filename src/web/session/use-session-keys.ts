import { say } from "../../render/html/page-script/say.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { type SessionRoute, sessionPath } from "../routes.js";
import { useKeys } from "../shell/use-keys.js";
import { copyText } from "./copy-text.js";
import { isFailure } from "./session-filter.js";
import { callAnchor } from "./show-target.js";

interface SessionKeysOptions {
  readonly session: SessionAnswer;
  readonly current: number;
  readonly route: Pick<SessionRoute, "id" | "branch">;
  goTo(turn: number, anchor?: string): void;
  goToEnd(): void;
  onFind(): void;
}

export function useSessionKeys({ session, current, route, goTo, goToEnd, onFind }: SessionKeysOptions): void {
  const { turns } = session;
  const step = (by: 1 | -1) => {
    const turn = Math.min(turns.length, Math.max(1, current + by));
    if (turn !== current || current === 1) goTo(turn);
  };
  const stepCall = (by: 1 | -1, isWanted: (status: string) => boolean, otherwise: string) => {
    const calls = callsFrom(session, current, by).filter(({ status }) => isWanted(status));
    const here = focusedCall();
    const at = calls.findIndex(({ anchor }) => anchor === here);
    const next = calls[at + 1];
    if (next) goTo(next.turn, next.anchor);
    else say(otherwise);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    "]": () => stepCall(1, () => true, "no call after this"),
    "[": () => stepCall(-1, () => true, "no call before this"),
    e: () => stepCall(1, isFailure, "no failure after this"),
    f: onFind,
    o: toggleHere,
    O: () => toggle(".turns details"),
    t: () => toggle(".turns details.thinking"),
    c: () => {
      const place = focusedPlace(session) ?? { turn: Math.max(1, current) };
      void copyText(location.origin + sessionPath(route.id, { ...place, branch: route.branch }), "Link");
    },
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
function callsFrom({ turns }: SessionAnswer, current: number, by: 1 | -1): PlacedCall[] {
  const ahead = turns.filter(({ index }) => (by === 1 ? index >= current : index <= Math.max(1, current)));
  const calls = ahead.flatMap(({ index, calls: own }) =>
    own.map((call) => ({ turn: index, anchor: callAnchor(call.id), status: call.status })),
  );
  return by === 1 ? calls : calls.reverse();
}

function focusedCall(): string | undefined {
  return document.activeElement?.closest(".call")?.id;
}

/** The call that has the focus; those of sub-agents have no address. */
function focusedPlace({ turns }: SessionAnswer): Pick<PlacedCall, "turn" | "anchor"> | undefined {
  const anchor = focusedCall();
  const turn = turns.find(({ calls }) => calls.some(({ id }) => callAnchor(id) === anchor))?.index;
  return anchor === undefined || turn === undefined ? undefined : { turn, anchor };
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
