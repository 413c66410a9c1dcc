import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Icons that only the web UI uses, in the style of those in `render/html`. */
const PATHS = {
  star: "M8 2.2l1.8 3.7l4 .6l-2.9 2.8l.7 4L8 11.4l-3.6 1.9l.7-4L2.2 6.5l4-.6z",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.8M9.2 7v3.8",
  save: "M8 2.5v7M5 6.8l3 3l3-3M3 12.8h10",
  upload: "M8 10V2.8M5 5.8l3-3l3 3M3 12.8h10",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  edit: "M3 13l.7-2.8L10.5 3.4l2.1 2.1L5.8 12.3z",
  raw: "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5",
  pulse: "M1.5 8h3l2-4.5l3 9l2-4.5h3",
  chart: "M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6",
  list: "M2.5 4h11M2.5 8h11M2.5 12h7",
  play: "M5 3.5l7 4.5l-7 4.5z",
  back: "M9.5 3.5L5 8l4.5 4.5",
  eye: "M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12S1.8 8 1.8 8zM8 6.4a1.6 1.6 0 1 0 0 3.2a1.6 1.6 0 1 0 0-3.2z",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  changes: "M8 2.5v6M5 5.5h6M5 12.5h6",
  close: "M4 4l8 8M12 4l-8 8",
  more: "M2.8 8h1.2M7.4 8h1.2M12 8h1.2",
  beside: "M2.5 3.5h11v9h-11zM9.5 3.5v9",
  undo: "M5.5 3L2.5 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6",
} as const;

export type UiIconName = keyof typeof PATHS;

export function UiIcon({ name }: { readonly name: UiIconName }) {
  return (
    <svg class={`icon sign-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

interface IconButtonProps {
  readonly name: UiIconName;
  /** Also the tooltip. */
  readonly label: string;
  readonly isPressed?: boolean;
  readonly isBusy?: boolean;
  onClick(): void;
}

export function IconButton({ name, label, isPressed, isBusy = false, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class="sign-button"
      title={label}
      aria-label={label}
      disabled={isBusy}
      {...(isPressed === undefined ? {} : { "aria-pressed": isPressed })}
      onClick={onClick}
    >
      <UiIcon name={name} />
    </button>
  );
}

interface MenuProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A button that opens a list of actions; a choice, Escape or a click elsewhere closes it. */
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
    // Captured, so that the focus is back on the button before the item opens a dialog, which restores it later.
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
        <UiIcon name="more" />
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
