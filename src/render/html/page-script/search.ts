import { findHits, fold } from "./find-hits.js";
import { findElement, unfold } from "./page-elements.js";

export interface Search {
  focus(): void;
  step(by: 1 | -1): Promise<void>;
}

const MAX_HITS = 5000;
const SLICE_MS = 12; // of work before the browser may repaint
const TYPING_MS = 120;

export function startSearch(): Search {
  const input = findElement("query", HTMLInputElement);
  let hits: Range[] = [];
  let current = -1;
  let running = 0; // number of the latest search
  let timer = 0; // 0: everything typed so far was searched

  async function search(): Promise<void> {
    clearTimeout(timer);
    timer = 0;
    running += 1;
    const mine = running;
    const words = fold(input.value.trim());
    [hits, current] = [[], -1];
    paint(hits, undefined);
    clearCounts();
    if (words !== "") await walk(words, (found) => (mine === running ? take(found) : false));
    if (mine === running)
      showSummary(
        words === "" ? "" : `${hits.length === 0 ? "no" : countOf(hits)} ${hits.length === 1 ? "hit" : "hits"}`,
        hits,
      );
  }

  function take({ section, ranges }: SectionHits): boolean {
    hits.push(...ranges);
    showCount(section, ranges.length);
    paint(hits, undefined);
    showSummary(`${hits.length} …`, hits);
    return hits.length < MAX_HITS;
  }

  async function step(by: 1 | -1): Promise<void> {
    if (timer !== 0) await search();
    if (hits.length === 0) return;
    current = current < 0 && by === -1 ? hits.length - 1 : (current + by + hits.length) % hits.length;
    const hit = hits[current];
    if (!hit) return;
    paint(hits, hit);
    show(hit);
    showSummary(`${current + 1} of ${countOf(hits)}`, hits);
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void search(), TYPING_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") void step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") input.blur();
    else return;
    event.preventDefault();
  });
  findElement("next-hit", HTMLButtonElement).addEventListener("click", () => void step(1));
  findElement("previous-hit", HTMLButtonElement).addEventListener("click", () => void step(-1));
  return { focus: () => input.select(), step };
}

interface SectionHits {
  readonly section: Element;
  readonly ranges: Range[];
}

/** Section by section, in slices of time, so that a large page does not freeze. */
async function walk(words: string, take: (found: SectionHits) => boolean): Promise<void> {
  let deadline = performance.now() + SLICE_MS;
  for (const section of document.querySelectorAll("main > *")) {
    const ranges = findHits(section, words, MAX_HITS);
    if (ranges.length > 0 && !take({ section, ranges })) return;
    if (performance.now() < deadline) continue;
    await new Promise((resolve) => setTimeout(resolve));
    deadline = performance.now() + SLICE_MS;
  }
}

function countOf(hits: readonly Range[]): string {
  return hits.length >= MAX_HITS ? `${hits.length}+` : String(hits.length);
}

function showSummary(words: string, hits: readonly Range[]): void {
  findElement("hits", HTMLOutputElement).textContent = words;
  for (const id of ["next-hit", "previous-hit"]) findElement(id, HTMLButtonElement).disabled = hits.length === 0;
}

/** Marks hits without changing the document. Browsers without the Highlight API still step from hit to hit. */
function paint(hits: readonly Range[], current: Range | undefined): void {
  if (!("highlights" in CSS)) return;
  const all = new Highlight();
  for (const hit of hits) all.add(hit);
  CSS.highlights.set("hit", all);
  const now = current ? new Highlight(current) : new Highlight();
  now.priority = 1;
  CSS.highlights.set("hit-now", now);
}

function showCount(section: Element, count: number): void {
  const mark = document.querySelector(`.contents a[href="#${CSS.escape(section.id)}"] .hits`);
  if (mark) mark.textContent = String(count);
}

function clearCounts(): void {
  for (const mark of document.querySelectorAll(".contents .hits:not(:empty)")) mark.textContent = "";
}

/** Scrolls the hit to the middle of its box, then of the window. */
function show(hit: Range): void {
  const { startContainer } = hit;
  const element = startContainer.parentElement;
  if (!element) return;
  unfold(startContainer.parentElement?.closest("summary") ?? element);
  const box = element.closest(".code-box, .table-box");
  (box ?? element).scrollIntoView({ block: "nearest" });
  const place = hit.getBoundingClientRect();
  if (box) {
    const frame = box.getBoundingClientRect();
    box.scrollTop += place.top - frame.top - box.clientHeight / 2;
    box.scrollLeft += place.left - frame.left - box.clientWidth / 2;
  }
  scrollBy({ top: hit.getBoundingClientRect().top - innerHeight / 2 });
}
