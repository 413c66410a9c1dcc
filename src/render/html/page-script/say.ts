import { findElement } from "./find-element.js";

const SHOWN_MS = 2000;
let timer = 0;

/** A short word at the bottom of the page, also for those who only hear it. */
export function say(words: string): void {
  const said = findElement("said", HTMLElement);
  said.textContent = words;
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    said.textContent = "";
  }, SHOWN_MS);
}
