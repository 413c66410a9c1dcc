import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Sign } from "./sign.js";

interface MenuProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A button that opens a list of further ones; closes with what is chosen, with Escape, or with a click elsewhere. */
export function Menu({ label, children }: MenuProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!isOpen || !element) return;
    const away = new AbortController();
    const options = { signal: away.signal };
    const close = () => setOpen(false);
    const leave = () => {
      close();
      element.querySelector("button")?.focus();
    };
    element.querySelector<HTMLElement>(".menu-items button")?.focus();
    addEventListener("pointerdown", ({ target }) => isWithin(element, target) || close(), options);
    element.addEventListener(
      "focusout",
      ({ relatedTarget }) => relatedTarget && !isWithin(element, relatedTarget) && close(),
      options,
    );
    // Before the item does its work: a dialog remembers where the focus was.
    const choose = ({ target }: MouseEvent) => isWithin(element.lastElementChild, target) && leave();
    element.addEventListener("click", choose, { ...options, capture: true });
    element.addEventListener("keydown", (event) => (event.key === "Escape" ? leave() : step(event, element)), options);
    return () => away.abort();
  }, [isOpen]);
  return (
    <div class="more-menu" ref={box}>
      <button
        type="button"
        class="sign-button"
        title={label}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Sign name="more" />
      </button>
      {isOpen ? (
        <div class="menu-items" role="group" aria-label={label}>
          {children}
        </div>
      ) : null}
    </div>
  );
}

export function MenuItem({ label, onClick }: { readonly label: string; onClick(): void }) {
  return (
    <button type="button" onClick={onClick}>
      {label}
    </button>
  );
}

function isWithin(box: Element | null, target: EventTarget | null): boolean {
  return target instanceof Node && box?.contains(target) === true;
}

function step(event: KeyboardEvent, box: HTMLElement): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const items = [...box.querySelectorAll<HTMLElement>(".menu-items button")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + by + items.length) % items.length]?.focus();
}
