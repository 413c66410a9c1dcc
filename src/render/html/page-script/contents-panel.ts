import { findElement } from "./find-element.js";
import { currentTurn } from "./places.js";

/** Marks the turn that is read; on small screens the list is opened by a button. */
export function followContents(): void {
  const panel = findElement("contents", HTMLElement);
  const button = findElement("show-contents", HTMLButtonElement);
  const show = (isShown: boolean) => {
    panel.classList.toggle("shown", isShown);
    button.setAttribute("aria-expanded", String(isShown));
  };
  button.addEventListener("click", () => show(!panel.classList.contains("shown")));
  panel.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a")) show(false);
  });
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") show(false);
  });
  markWhileReading(panel);
}

function markWhileReading(panel: HTMLElement): void {
  const links = new Map([...panel.querySelectorAll<HTMLAnchorElement>(".contents a")].map((link) => [link.hash, link]));
  let marked: { readonly turn: HTMLElement; readonly link: HTMLAnchorElement | undefined } | undefined;
  let isWaiting = false;
  const mark = () => {
    isWaiting = false;
    const turn = currentTurn();
    if (!turn || turn === marked?.turn) return;
    marked?.turn.classList.remove("current");
    marked?.link?.removeAttribute("aria-current");
    marked = { turn, link: links.get(`#${turn.id}`) };
    turn.classList.add("current");
    marked.link?.setAttribute("aria-current", "location");
    if (marked.link) showInPanel(panel, marked.link);
  };
  const wait = () => {
    if (!isWaiting) requestAnimationFrame(mark);
    isWaiting = true;
  };
  addEventListener("scroll", wait, { passive: true });
  addEventListener("resize", wait);
  mark();
}

/** Scrolls the list alone, never the page. */
function showInPanel(panel: HTMLElement, link: HTMLElement): void {
  const [outer, inner] = [panel.getBoundingClientRect(), link.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) {
    panel.scrollTop += inner.top - outer.top - panel.clientHeight / 2;
  }
}
