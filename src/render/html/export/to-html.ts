import { h, type JSX } from "preact";
import { render } from "preact-render-to-string";
import { type PageTools, PageToolsContext } from "../components/page-tools.js";

export function toHtml(node: JSX.Element, tools: PageTools): string {
  return render(h(PageToolsContext.Provider, { value: tools }, node));
}

/** The HTML before and after the children of a component, so that the children can be streamed. */
export function toFrame(
  make: (children: JSX.Element) => JSX.Element,
  tools: PageTools,
): readonly [before: string, after: string] {
  const [before, after] = toHtml(make(h(SLOT, null)), tools).split(`<${SLOT}></${SLOT}>`);
  if (before === undefined || after === undefined) throw new Error("a frame must show its children once");
  return [before, after];
}

/** Session text cannot contain this element: its angle brackets are escaped. */
const SLOT = "turnlog-slot";
