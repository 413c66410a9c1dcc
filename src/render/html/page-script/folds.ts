import { findElement } from "./find-element.js";
import { currentTurn } from "./places.js";

export interface Folds {
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

/** Opens all, or closes all where none is closed. */
function toggle(found: Iterable<Element>): boolean {
  const folds = [...found].filter((element) => element instanceof HTMLDetailsElement);
  const isOpening = folds.some(({ open }) => !open);
  for (const fold of folds) fold.open = isOpening;
  return isOpening;
}
