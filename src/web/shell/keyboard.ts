import { useLayoutEffect, useRef } from "preact/hooks";

/** Actions by key; `g s` is a sequence of two keys. */
export type Keys = Readonly<Record<string, () => unknown>>;

const SEQUENCE_MS = 1000;
let first: { readonly key: string; readonly at: number } | undefined;

/** Handles keys without Ctrl, Alt or Meta, except in text fields and while a dialog is open. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // A layout effect: a key pressed before the next frame would be lost.
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

/** Returns the focus to where it was when the component is removed. */
export function useReturnedFocus(): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    // Later, because a modal dialog keeps the focus until it is removed.
    return () => queueMicrotask(() => isFocusLost() && before instanceof HTMLElement && focusQuietly(before));
  }, []);
}

/** The focused element was removed. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function focusQuietly(element: HTMLElement): void {
  element.focus({ preventScroll: true });
}
