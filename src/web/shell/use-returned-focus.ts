import { useLayoutEffect } from "preact/hooks";

/** What is shown for a while takes the focus; when it goes, the focus is back where it came from. */
export function useReturnedFocus(): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    // Not at once: what is shown is still there, and a dialog lets nobody out.
    return () => queueMicrotask(() => isFocusLost() && before instanceof HTMLElement && focusQuietly(before));
  }, []);
}

/** Nothing is focused, as what was is gone. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function focusQuietly(element: HTMLElement): void {
  element.focus({ preventScroll: true });
}
