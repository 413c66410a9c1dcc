import { createAnchors } from "../../render/html/anchors.js";
import { findHits, fold } from "../../render/html/page-script/find-hits.js";
import { unfold } from "../../render/html/page-script/places.js";
import { searchedWords } from "./mark-words.js";

const ABOVE = 96; // pixels that stay in sight above the place

/** Opens a place in a turn; gives how far down it is, or undefined while it is still being painted. */
export function showTarget(slot: HTMLElement, anchor: string, words: string): number | undefined {
  const place = anchor === "" ? null : slot.querySelector<HTMLElement>(`#${CSS.escape(anchor)}`);
  if (place instanceof HTMLDetailsElement && !place.open) {
    unfold(place);
    place.open = true;
    return undefined;
  }
  place?.toggleAttribute("data-reached", true);
  const hit = firstHit(place ?? slot, words);
  const element = hit?.startContainer.parentElement ?? place;
  if (!element) return 0;
  unfold(element);
  const box = element.closest<HTMLElement>(".code-box");
  if (box && hit)
    box.scrollTop += hit.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
  place?.querySelector<HTMLElement>("summary")?.focus({ preventScroll: true });
  const top = (hit ?? element).getBoundingClientRect().top - slot.getBoundingClientRect().top;
  return Math.max(0, top - ABOVE);
}

/** The mark of the place that was reached before. */
export function unmarkTarget(box: HTMLElement | null): void {
  for (const place of box?.querySelectorAll("[data-reached]") ?? []) place.removeAttribute("data-reached");
}

/** The anchor of a call in its turn. */
export function callAnchor(id: string): string {
  return createAnchors()("call", id);
}

function firstHit(element: Element, words: string): Range | undefined {
  for (const word of searchedWords(words)) {
    const [hit] = findHits(element, fold(word), 1);
    if (hit) return hit;
  }
  return undefined;
}
