import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.js";

interface SectionFrameProps {
  readonly anchor: string;
  readonly title: string;
  /** With one, the section is folded behind it. */
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}

/** What belongs to the session without being a turn of it: what came before, rewound branches, other sub-agents. */
export function SectionFrame({ anchor, title, icon, children }: SectionFrameProps) {
  if (icon === undefined) {
    return (
      <section id={anchor} class="aside" aria-label={title}>
        <h2 class="who">{title}</h2>
        {children}
      </section>
    );
  }
  return (
    <details id={anchor} class="aside">
      <summary>
        <Icon name={icon} />
        <h2 class="who">{title}</h2>
      </summary>
      {children}
    </details>
  );
}
