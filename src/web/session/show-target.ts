import { createAnchors } from "../../render/html/components/anchors.js";
import { findHits, fold } from "../../render/html/page-script/find-hits.js";
import { unfold } from "../../render/html/page-script/page-elements.js";
import type { ServedHit } from "../../server/api/search.js";

const ABOVE = 96; // pixels kept visible above the target

/** Maps the anchor of a sub-agent to that of the call that launched it. */
export type Launches = ReadonlyMap<string, string>;

/** Separates the anchor of a sub-agent from an anchor inside it. */
export const INSIDE = "~";

/** A place in a turn, and the pixels to scroll into the turn to show it. */
interface ShownPlace {
  readonly offset: number;
  readonly element: Element | null;
}

/** Unfolds a place in a turn; undefined while it is still being rendered. */
export function showTarget(
  slot: HTMLElement,
  anchor: string,
  words: string,
  launches: Launches,
): ShownPlace | undefined {
  const folds = foldsTo(anchor, launches);
  if (!folds.every((id) => isOpened(find(slot, id)))) return undefined;
  const place = anchor === "" ? null : find(slot, anchor);
  if (place instanceof HTMLDetailsElement && !isOpened(place)) return undefined;
  place?.toggleAttribute("data-reached", true);
  const hit = firstHit(place ?? slot, words);
  const element = hit?.startContainer.parentElement ?? place;
  if (!element) return { offset: 0, element: null };
  unfold(element);
  const box = element.closest<HTMLElement>(".code-box");
  if (box && hit)
    box.scrollTop += hit.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
  place?.querySelector<HTMLElement>("summary")?.focus({ preventScroll: true });
  const top = (hit ?? element).getBoundingClientRect().top - slot.getBoundingClientRect().top;
  return { offset: Math.max(0, top - ABOVE), element };
}

/** The folds to open on the way into nested sub-agents; each is inside the call that launched it. */
function foldsTo(anchor: string, launches: Launches): string[] {
  const agents = anchor.split(INSIDE).filter((part) => launches.has(part));
  return agents.flatMap((agent, at) => {
    const above = agents.slice(0, at).map((one) => one + INSIDE);
    return [launches.get(agent) ?? "", agent].map((id) => above.join("") + id);
  });
}

function find(slot: HTMLElement, id: string): HTMLElement | null {
  return slot.querySelector<HTMLElement>(`#${CSS.escape(id)}`);
}

/** Opens the fold if necessary. False until its content is rendered, which may have to be loaded. */
function isOpened(fold: HTMLElement | null): boolean {
  if (!(fold instanceof HTMLDetailsElement)) return false;
  if (fold.open) return fold.childElementCount > 1 && fold.querySelector(".loading") === null;
  unfold(fold);
  fold.open = true;
  return false;
}

/** Removes the mark of the previous target. */
export function unmarkTarget(box: HTMLElement | null): void {
  for (const place of box?.querySelectorAll("[data-reached]") ?? []) place.removeAttribute("data-reached");
}

export function callAnchor(id: string): string {
  return createAnchors()("call", id);
}

export function agentAnchor(agentId: string): string {
  return createAnchors()("agent", agentId);
}

/** The anchor of a hit in its turn. */
export function hitAnchor({ toolUseId, agentId }: Pick<ServedHit, "toolUseId" | "agentId">): string {
  const call = toolUseId === null ? [] : [callAnchor(toolUseId)];
  return [...(agentId === null ? [] : [agentAnchor(agentId)]), ...call].join(INSIDE);
}

function firstHit(element: Element, words: string): Range | undefined {
  for (const word of searchedWords(words)) {
    const [hit] = findHits(element, fold(word), 1);
    if (hit) return hit;
  }
  return undefined;
}

const MAX_MARKS = 500;

/** Highlights the words of a search without changing the document. */
export function markWords(box: Element | null, query: string): void {
  if (!("highlights" in CSS)) return;
  const words = searchedWords(query);
  if (!box || words.length === 0) {
    CSS.highlights.delete("hit");
    return;
  }
  const marks = new Highlight();
  for (const word of words) for (const range of findHits(box, fold(word), MAX_MARKS)) marks.add(range);
  CSS.highlights.set("hit", marks);
}

/** The words of a query that can occur in a text: without filters and excluded words. */
export function searchedWords(query: string): string[] {
  const words = query
    .replace(/(?<=^|\s)[a-z]+:("[^"]*"|\S+)/gi, " ")
    .match(/"[^"]+"|\S+/g)
    ?.filter((word) => !word.startsWith("-") && word !== "OR");
  return (words ?? []).map((word) => word.replace(/^"|"$|\*$/g, "")).filter((word) => word.length > 1);
}
