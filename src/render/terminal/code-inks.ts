import type { Style } from "../style.js";
import type { Ink } from "./span.js";

/** In which ink a scope of the highlighter is written; null for the reader's own colour. */
export function inkOfScope(scope: string | null, style: Style): Ink | null {
  const [name = "", detail] = scope?.split(".") ?? [];
  switch (name) {
    case "comment":
    case "quote":
    case "meta":
      return style.dim;
    case "keyword":
    case "selector-tag":
    case "tag":
    case "name":
    case "section":
      return style.magenta;
    case "string":
    case "regexp":
    case "char":
    case "addition":
      return style.green;
    case "number":
    case "literal":
    case "symbol":
    case "bullet":
      return style.yellow;
    case "title":
      return detail === "function" ? style.blue : style.cyan;
    case "type":
    case "built_in":
    case "attr":
    case "attribute":
    case "link":
      return style.cyan;
    case "deletion":
      return style.red;
    case "strong":
      return style.bold;
    case "emphasis":
      return style.italic;
    default:
      return null;
  }
}
