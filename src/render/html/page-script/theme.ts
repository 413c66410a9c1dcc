import { findElement } from "./find-element.js";

const KEY = "turnlog-theme";

export function startTheme(): void {
  const root = document.documentElement;
  const known = readChoice();
  if (known === "dark" || known === "light") root.dataset["theme"] = known;
  findElement("theme", HTMLButtonElement).addEventListener("click", () => {
    const isDark =
      root.dataset["theme"] === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : isChosenDark();
    root.dataset["theme"] = isDark ? "light" : "dark";
    keepChoice(root.dataset["theme"]);
  });
  function isChosenDark(): boolean {
    return root.dataset["theme"] === "dark";
  }
}

/** A browser may refuse to remember anything for a page from disk. */
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
    // The choice holds for this page.
  }
}
