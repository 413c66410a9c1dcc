import { findElement } from "./page-elements.js";

const KEY = "turnlog-theme";

export function startTheme(): void {
  const root = document.documentElement;
  const known = readChoice();
  if (known === "dark" || known === "light") root.dataset["theme"] = known;
  findElement("theme", HTMLButtonElement).addEventListener("click", () => {
    const current = root.dataset["theme"] ?? systemTheme();
    const chosen = current === "dark" ? "light" : "dark";
    root.dataset["theme"] = chosen;
    keepChoice(chosen);
  });
}

function systemTheme(): string {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Browsers may refuse storage to a page from disk. */
function readChoice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keepChoice(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice lasts until the page is closed.
  }
}
