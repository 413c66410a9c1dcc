import { goTo, readersPlace } from "./places.js";
import { say } from "./say.js";

/** A link to a turn or a call opens what it is folded into. */
export function followLinks(): void {
  addEventListener("hashchange", openTarget);
  openTarget();
}

function openTarget(): void {
  const { hash } = location;
  const target = hash.length > 1 ? document.getElementById(decode(hash.slice(1))) : null;
  if (target?.closest("main")) {
    if (target instanceof HTMLDetailsElement) target.open = true;
    goTo(target, target.querySelector<HTMLElement>(":scope > summary, :scope > header a"));
  } else if (hash.length > 1) openInOtherPart(hash);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The index of a session in several parts knows where each turn is. */
function openInOtherPart(hash: string): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".contents a")];
  const found = links.find((link) => link.hash === hash && link.pathname !== location.pathname);
  if (found) location.replace(found.href);
}

export async function copyLink(): Promise<void> {
  const place = readersPlace()?.closest<HTMLElement>("main :is(.call, .agent, .turn, .aside)[id]");
  if (!place) return;
  history.replaceState(null, "", `#${encodeURIComponent(place.id)}`);
  try {
    await navigator.clipboard.writeText(location.href);
    say("Link copied");
  } catch {
    say("The link is in the address bar");
  }
}
