import type { ComponentChildren } from "preact";

interface ScrollBoxProps {
  readonly class: string;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** What is wider or longer than the page scrolls by itself, also by keyboard. */
export function ScrollBox({ class: name, label, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot reach what is out of sight
    <div class={name} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
