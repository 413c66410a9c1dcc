import { currentTurn, findElement, goTo, readingPlace, showStatus } from "./page-elements.js";

/** Marks the current turn in the contents list; on small screens a button opens the list. */
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

/** Opens the target of a link to a turn or call, even if it is folded. */
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

/** The contents list of a session in several parts links to the part of each turn. */
function openInOtherPart(hash: string): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".contents a")];
  const found = links.find((link) => link.hash === hash && link.pathname !== location.pathname);
  if (found) location.replace(found.href);
}

export async function copyLink(): Promise<void> {
  const place = readingPlace()?.closest<HTMLElement>("main :is(.call, .agent, .turn, .aside)[id]");
  if (!place) return;
  history.replaceState(null, "", `#${encodeURIComponent(place.id)}`);
  try {
    await navigator.clipboard.writeText(location.href);
    showStatus("Link copied");
  } catch {
    showStatus("The link is in the address bar");
  }
}
