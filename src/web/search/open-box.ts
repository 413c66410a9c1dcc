import { useLayoutEffect, useState } from "preact/hooks";
import { useKeys } from "../shell/keyboard.js";

let show: (text: string | undefined) => void = () => {};

/** Opens the box, with a query to go on with. */
export function openBox(text = ""): void {
  show(text);
}

/** The text that the box was opened with; undefined while it is closed. */
export function useBox(query: string): readonly [string | undefined, () => void] {
  const [text, setText] = useState<string>();
  useLayoutEffect(() => {
    show = setText;
    return () => {
      show = () => {};
    };
  }, []);
  useKeys({ "/": () => setText(query) });
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      const isElsewhere = document.querySelector("dialog[open]:not(.box)") !== null;
      if (!isElsewhere) setText((open) => (open === undefined ? query : undefined));
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [query]);
  return [text, () => setText(undefined)];
}
