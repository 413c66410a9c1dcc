import { useCallback, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { isFocusLost } from "../shell/use-returned-focus.js";

export interface OutlineDrawer {
  readonly isOpen: boolean;
  toggle(): void;
  close(): void;
}

/** Where the outline has no column of its own: opened by its button, closed by Escape or a click elsewhere. */
export function useOutlineDrawer(): OutlineDrawer {
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  useLayoutEffect(() => {
    if (!isOpen) return;
    const away = new AbortController();
    const options = { signal: away.signal };
    (find(".outline [aria-current]") ?? find(".outline-rows"))?.focus({ preventScroll: true });
    addEventListener("keydown", ({ key }) => key === "Escape" && close(), options);
    addEventListener("pointerdown", ({ target }) => isElsewhere(target) && close(), options);
    return () => {
      away.abort();
      const isWithin = find(".outline")?.contains(document.activeElement);
      if (isWithin || isFocusLost()) find(".to-outline")?.focus({ preventScroll: true });
    };
  }, [isOpen]);
  return useMemo(() => ({ isOpen, close, toggle: () => setOpen((before) => !before) }), [isOpen]);
}

function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(".outline, .to-outline") === null;
}

function find(selector: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.session-view ${selector}`);
}
