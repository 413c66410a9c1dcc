/** The turns of the session itself that no filter hides. */
export function shownTurns(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("main > .turn:not(.filtered-out)")];
}

/** The turn at the top of the window. */
export function currentTurn(): HTMLElement | undefined {
  const turns = shownTurns();
  const line = barHeight() + READING_LINE;
  let [low, high] = [0, turns.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const top = turns[middle]?.getBoundingClientRect().top ?? 0;
    if (top <= line) low = middle;
    else high = middle - 1;
  }
  return turns[low];
}

const READING_LINE = 40; // pixels below the bar

function barHeight(): number {
  return document.querySelector(".toolbar")?.getBoundingClientRect().height ?? 0;
}

/** Opens every <details> around an element. */
export function unfold(element: Element): void {
  for (let fold = element.parentElement?.closest("details"); fold; fold = fold.parentElement?.closest("details")) {
    fold.open = true;
  }
}

/** Scrolls an element to the top; repeated in the next frame, when the content above has its final size. */
export function goTo(element: HTMLElement, focused: HTMLElement | null): void {
  unfold(element);
  element.scrollIntoView({ block: "start" });
  focused?.focus({ preventScroll: true });
  requestAnimationFrame(() => element.scrollIntoView({ block: "start" }));
}

/** The next of these elements after the reading place, or the previous one before it. */
export function nextOf(elements: readonly HTMLElement[], step: 1 | -1): HTMLElement | undefined {
  const here = readingPlace();
  const isBeyond = (element: HTMLElement) => {
    const relation = here?.compareDocumentPosition(element) ?? 0;
    return (relation & (step === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING)) !== 0;
  };
  const beyond = elements.filter((element) => element !== here && isBeyond(element));
  return step === 1 ? beyond[0] : beyond.findLast((element) => !(here && element.contains(here)));
}

/** The focused element, else the turn at the top of the window. */
export function readingPlace(): HTMLElement | undefined {
  const focused = document.activeElement?.closest<HTMLElement>("main [id]");
  return focused ?? currentTurn();
}

const SHOWN_MS = 2000;
let timer = 0;

/** Shows a message at the bottom of the page for two seconds; screen readers announce it. */
export function showStatus(words: string): void {
  const said = findElement("said", HTMLElement);
  said.textContent = words;
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    said.textContent = "";
  }, SHOWN_MS);
}

/** For elements that every page has. */
export function findElement<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}
