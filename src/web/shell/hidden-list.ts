import { useLayoutEffect, useState } from "preact/hooks";

const KEY = "turnlog-list-hidden";
const listeners = new Set<(isHidden: boolean) => void>();
let isHidden = read();

/** Beside a session the list can be hidden; this browser remembers it. */
export function useListHidden(): boolean {
  const [is, set] = useState(isHidden);
  useLayoutEffect(() => {
    listeners.add(set);
    return () => void listeners.delete(set);
  }, []);
  return is;
}

export function toggleList(): void {
  isHidden = !isHidden;
  try {
    localStorage.setItem(KEY, String(isHidden));
  } catch {
    // Storage may be disabled; then it is remembered as long as the page is open.
  }
  for (const listener of listeners) listener(isHidden);
}

function read(): boolean {
  try {
    return localStorage.getItem(KEY) === "true";
  } catch {
    return false;
  }
}
