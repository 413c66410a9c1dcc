import { useLayoutEffect, useRef } from "preact/hooks";

/** What a key does; `g s` is two of them. */
export type Keys = Readonly<Record<string, () => unknown>>;

const SEQUENCE_MS = 1000;
let first: { readonly key: string; readonly at: number } | undefined;

/** Keys without Ctrl, Alt or Meta, and not while somebody types or a dialog is open. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Not an effect: a key pressed before the next frame would be lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isElsewhere(event.target)) return;
      const isSecond = first !== undefined && event.timeStamp > first.at && event.timeStamp - first.at < SEQUENCE_MS;
      const action = (isSecond && latest.current[`${first?.key} ${event.key}`]) || latest.current[event.key];
      if (event.key === "g") first = { key: event.key, at: event.timeStamp };
      if (!action) return;
      first = undefined;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]")) return true;
  if (target instanceof HTMLInputElement) return target.type !== "checkbox";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

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
