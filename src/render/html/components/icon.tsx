import { KEPT_LABEL } from "../../labels.js";

/** Drawn on 16 by 16 pixels, in the colour of the text. */
const PATHS = {
  ok: "M3 8.5l3.2 3.2L13 5",
  error: "M4 4l8 8M12 4l-8 8",
  denied: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM4.2 4.2l7.6 7.6",
  interrupted: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM6.5 6v4M9.5 6v4",
  orphan: "M5.6 6a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.7M8 12.6v.1",
  open: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10z",
  active: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10zM8 5.5V8l1.8 1.2",
  done: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10zM5.8 8.2l1.6 1.6l2.8-3.2",
  fork: "M5 3v10M5 9c0-3 6-2 6-6M3.5 13h3M9.5 3h3",
  seam: "M2 8h2M6 8h4M12 8h2M8 2v3M8 14v-3M6.5 3.8L8 5.3l1.5-1.5M6.5 12.2L8 10.7l1.5 1.5",
  agent: "M4 3v6a2 2 0 0 0 2 2h6M9.5 8.5L12 11l-2.5 2.5",
  link: "M6.5 9.5l3-3M7 4.8l1.2-1.2a2.6 2.6 0 0 1 3.7 3.7L10.7 8.5M9 11.2l-1.2 1.2a2.6 2.6 0 0 1-3.7-3.7l1.2-1.2",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9zM10.4 10.4l3.1 3.1",
  up: "M3.5 10L8 5.5l4.5 4.5",
  down: "M3.5 6L8 10.5L12.5 6",
  filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
  folds: "M4.5 5.5L8 2l3.5 3.5M4.5 10.5L8 14l3.5-3.5",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  contents: "M2.5 4h1M6 4h7.5M2.5 8h1M6 8h7.5M2.5 12h1M6 12h7.5",
} as const;

export type IconName = keyof typeof PATHS;

/** `label` is read by screen readers; an icon without one is decoration. */
export function Icon({ name, label }: { readonly name: IconName; readonly label?: string }) {
  return label === undefined ? (
    <svg class="icon" aria-hidden="true">
      <use href={`#icon-${name}`} />
    </svg>
  ) : (
    <svg class="icon" role="img" aria-label={label}>
      <use href={`#icon-${name}`} />
    </svg>
  );
}

/** The definitions of all icons; needed once in a page. */
export function IconSheet() {
  return (
    <svg class="icon-sheet" aria-hidden="true">
      {Object.entries(PATHS).map(([name, path]) => (
        <symbol key={name} id={`icon-${name}`} viewBox="0 0 16 16">
          <path d={path} />
        </symbol>
      ))}
    </svg>
  );
}

/** Marks what a compaction left in the context verbatim. */
export function Kept({ isKept }: { readonly isKept: boolean }) {
  return isKept ? <span class="kept">{KEPT_LABEL}</span> : null;
}
