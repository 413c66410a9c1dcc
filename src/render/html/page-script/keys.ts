import { copyLink } from "./navigation.js";
import { currentTurn, findElement, goTo, nextOf, shownTurns, showStatus } from "./page-elements.js";
import type { Search } from "./search.js";

interface Actions {
  readonly folds: Folds;
  readonly search: Search;
}

export function startKeys({ folds, search }: Actions): void {
  const dialog = findElement("keys", HTMLDialogElement);
  findElement("help", HTMLButtonElement).addEventListener("click", () => dialog.showModal());
  const actions = new Map<string, () => unknown>([
    ["j", () => stepTurn(1)],
    ["k", () => stepTurn(-1)],
    ["]", () => stepTo(CALLS, 1, "No further tool call")],
    ["[", () => stepTo(CALLS, -1, "No earlier tool call")],
    ["e", () => stepTo(FAILURES, 1, "No further failure")],
    ["n", () => search.step(1)],
    ["N", () => search.step(-1)],
    ["p", () => search.step(-1)],
    ["/", search.focus],
    ["f", search.focus],
    ["o", folds.toggleHere],
    ["O", folds.toggleAll],
    ["t", folds.toggleThinking],
    ["c", copyLink],
    ["?", () => dialog.showModal()],
  ]);
  addEventListener("keydown", (event) => {
    const isOther = event.ctrlKey || event.metaKey || event.altKey || dialog.open || isTyping(event.target);
    const action = isOther ? undefined : actions.get(event.key);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type !== "checkbox";
}

const CALLS = "main .call[id]:not(.filtered-out)";
const FAILURES = "main :is(.call, .answer).failed:not(.filtered-out)";

/** Going back leads to the start of the current turn first, then to the previous turn. */
function stepTurn(step: 1 | -1): void {
  const turns = shownTurns();
  const current = currentTurn();
  const at = current ? turns.indexOf(current) : -1;
  const isInside = current !== undefined && current.getBoundingClientRect().top < 0;
  const isAbove = at === 0 && step === 1 && (current?.getBoundingClientRect().top ?? 0) > innerHeight / 4;
  const turn = isAbove || (step === -1 && isInside) ? current : turns[at + step];
  if (turn) goTo(turn, turn.querySelector<HTMLElement>(":scope > header a"));
}

function stepTo(selector: string, step: 1 | -1, otherwise: string): void {
  const found = nextOf([...document.querySelectorAll<HTMLElement>(selector)], step);
  if (!found) {
    showStatus(otherwise);
    return;
  }
  const summary = found.querySelector<HTMLElement>(":scope > summary");
  if (!summary) found.tabIndex = -1;
  goTo(found, summary ?? found);
}

interface Folds {
  toggleHere(): void;
  toggleAll(): void;
  toggleThinking(): void;
}

export function startFolds(): Folds {
  const button = findElement("toggle-all", HTMLButtonElement);
  const folds: Folds = {
    toggleHere() {
      const here = document.activeElement?.closest<HTMLDetailsElement>("main details");
      if (here) here.open = !here.open;
      else toggle(currentTurn()?.querySelectorAll("details") ?? []);
    },
    toggleAll() {
      const areOpen = toggle(document.querySelectorAll("main details"));
      button.setAttribute("aria-pressed", String(areOpen));
    },
    toggleThinking() {
      toggle(document.querySelectorAll("main details.thinking"));
    },
  };
  button.addEventListener("click", folds.toggleAll);
  return folds;
}

/** Opens all, or closes all if none is closed. */
function toggle(found: Iterable<Element>): boolean {
  const folds = [...found].filter((element) => element instanceof HTMLDetailsElement);
  const isOpening = folds.some(({ open }) => !open);
  for (const fold of folds) fold.open = isOpening;
  return isOpening;
}
