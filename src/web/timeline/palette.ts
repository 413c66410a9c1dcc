import { useEffect, useState } from "preact/hooks";

const NAMES = {
  ink: "var(--ink)",
  muted: "var(--muted)",
  paper: "var(--paper)",
  raised: "var(--raised)",
  rule: "var(--rule)",
  edge: "var(--edge)",
  accent: "var(--accent)",
  failed: "var(--failed)",
  turn: "color-mix(in oklab, var(--edge) 30%, var(--paper))",
  model: "color-mix(in oklab, var(--edge) 60%, var(--paper))",
  tool: "var(--accent)",
  person: "var(--running)",
  agent: "var(--code-word)",
  curve: "color-mix(in oklab, var(--ok) 35%, var(--paper))",
  toolWash: "var(--accent-wash)",
  failedWash: "var(--removed-wash)",
  agentWash: "color-mix(in oklab, var(--code-word) 18%, var(--paper))",
  veil: "color-mix(in oklab, var(--paper) 65%, transparent)",
} as const;

/** The colours of the theme as a canvas needs them. */
export interface Palette {
  readonly colours: Readonly<Record<keyof typeof NAMES, string>>;
  readonly font: string;
}

/** Read again when the theme changes. */
export function usePalette(): Palette {
  const [palette, setPalette] = useState(readPalette);
  useEffect(() => {
    const read = () => setPalette(readPalette());
    const observer = new MutationObserver(read);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", read);
    return () => {
      observer.disconnect();
      dark.removeEventListener("change", read);
    };
  }, []);
  return palette;
}

function readPalette(): Palette {
  const probe = document.body.appendChild(document.createElement("span"));
  const resolve = (value: string) => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(Object.entries(NAMES).map(([name, value]) => [name, resolve(value)]));
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  probe.remove();
  return { colours: colours as Palette["colours"], font };
}
