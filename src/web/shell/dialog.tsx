import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useReturnedFocus } from "./keyboard.js";

interface DialogProps {
  readonly title: string;
  readonly class?: string;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** Open for as long as it is rendered. */
export function Dialog({ title, class: name = "", onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useReturnedFocus();
  // A layout effect: keys pressed before the next frame must go to the dialog.
  useLayoutEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} class={name} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
