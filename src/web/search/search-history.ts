import { useLayoutEffect, useState } from "preact/hooks";

/** Searches of this browser: those that found something, and those that are kept. */
interface History {
  readonly recent: readonly string[];
  readonly saved: readonly string[];
}

const KEYS = { recent: "turnlog-searches", saved: "turnlog-saved-searches" } as const;
const MOST = { recent: 8, saved: 30 } as const;
const LEAST_LETTERS = 3;

const listeners = new Set<() => void>();

export function useSearchHistory(): History {
  const [history, setHistory] = useState(readHistory);
  useLayoutEffect(() => {
    const update = () => setHistory(readHistory());
    listeners.add(update);
    addEventListener("storage", update); // another tab
    return () => {
      listeners.delete(update);
      removeEventListener("storage", update);
    };
  }, []);
  return history;
}

/** Replaces what was typed on the way to it. */
export function rememberSearch(query: string): void {
  const text = query.trim();
  if (text.length < LEAST_LETTERS) return;
  const others = read("recent").filter((known) => known !== text && !text.startsWith(known));
  write("recent", [text, ...others]);
}

export function toggleSaved(query: string): void {
  const text = query.trim();
  const saved = read("saved");
  write("saved", saved.includes(text) ? saved.filter((known) => known !== text) : [...saved, text]);
}

function readHistory(): History {
  return { recent: read("recent"), saved: read("saved") };
}

function read(name: keyof History): readonly string[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(KEYS[name]) ?? "[]");
    return Array.isArray(known) ? known.filter((query) => typeof query === "string") : [];
  } catch {
    return [];
  }
}

function write(name: keyof History, searches: readonly string[]): void {
  try {
    localStorage.setItem(KEYS[name], JSON.stringify(searches.slice(0, MOST[name])));
  } catch {
    // Storage may be disabled; searching works without it.
  }
  for (const listener of listeners) listener();
}
