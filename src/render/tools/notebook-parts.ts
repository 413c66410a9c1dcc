import { arrayAt, stringAt } from "../../format/json.js";
import { imageParts } from "./image-parts.js";
import { outputPart } from "./result-parts.js";
import type { ViewPart } from "./tool-view.js";

/** The cells of a notebook as a client reads it, each with what it printed. */
export function notebookParts(cells: readonly unknown[]): ViewPart[] {
  return cells.flatMap((cell) => [cellPart(cell), ...arrayAt(cell, "outputs").flatMap(outputParts)]);
}

function cellPart(cell: unknown): ViewPart {
  const text = joined(cell, "source");
  const id = stringAt(cell, "cell_id");
  const label = id === undefined ? "cell" : `cell ${id}`;
  if ((stringAt(cell, "cellType") ?? stringAt(cell, "cell_type")) === "markdown") {
    return { kind: "markdown", text, label };
  }
  return { kind: "code", text, language: stringAt(cell, "language") ?? "python", label };
}

function outputParts(output: unknown): ViewPart[] {
  const text = joined(output, "text");
  const image = {
    type: "image",
    file: { type: stringAt(output, "image", "media_type"), base64: stringAt(output, "image", "image_data") },
  };
  return [
    ...(text.trim() === "" ? [] : [outputPart(text, "output")]),
    ...imageParts({ resultBlocks: [], resultData: image }),
  ];
}

/** Notebooks keep texts whole or as a list of lines. */
function joined(value: unknown, key: string): string {
  return (
    stringAt(value, key) ??
    arrayAt(value, key)
      .filter((line) => typeof line === "string")
      .join("")
  );
}
