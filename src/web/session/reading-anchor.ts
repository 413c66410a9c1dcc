/** Something in a row by which a place in it is told, while what stands above it gets another size. */
export interface Anchor {
  readonly element: Element;
  readonly within: number; // pixels below the beginning of its row
}

/** What scrolls by itself moves as a whole. */
const BOXES = ".code-box, .table-box";

export function toAnchor(place: Element | null): Anchor | undefined {
  const element = place?.closest(BOXES) ?? place;
  const row = element?.closest(".slot");
  if (!element || !row) return undefined;
  return { element, within: element.getBoundingClientRect().top - row.getBoundingClientRect().top };
}

/** What is uppermost in a scrolled box. */
export function uppermost(box: Element): Anchor | undefined {
  const { left, top, width } = box.getBoundingClientRect();
  return toAnchor(document.elementFromPoint(left + width / 2, top + 1));
}

/** How far it has moved down in its row since then; 0 where it is gone. */
export function movedBy({ element, within }: Anchor): number {
  return element.isConnected ? (toAnchor(element)?.within ?? within) - within : 0;
}
