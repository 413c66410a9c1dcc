import { arrayAt, isObject, stringAt, tryParseJson, valueAt } from "../../../format/json.js";
import { textBlock } from "../../../format/record/api-message.js";
import { ToolError, type ToolOutcome } from "../tool.js";
import type { JudgedFile } from "./judged-file.js";

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_OUTPUT_CHARS = 10_000;
const MAX_CHARS = 100_000;

/** A Jupyter notebook as cells with their output. */
export function readNotebook(file: JudgedFile): ToolOutcome {
  const { path } = file;
  const { size } = file.stats;
  if (size > MAX_BYTES)
    throw new ToolError(`${path} is too large to be read (${size} bytes). Use Grep, or jq in Bash.`);
  const notebook = tryParseJson(
    file
      .readAll()
      .toString("utf8")
      .replace(/^\uFEFF/, ""),
  );
  if (!isObject(notebook)) throw new ToolError(`${path} is not JSON, so it is no notebook.`);
  const cells = arrayAt(notebook, "cells").map((cell, at) => ({
    cellType: stringAt(cell, "cell_type") ?? "code",
    source: textOf(valueAt(cell, "source")),
    cell_id: stringAt(cell, "id") ?? `cell-${at}`,
    outputs: arrayAt(cell, "outputs")
      .map((output) => shorten(outputText(output), MAX_OUTPUT_CHARS))
      .filter((text) => text !== ""),
  }));
  if (cells.length === 0) throw new ToolError(`${path} holds no notebook cells.`);
  const texts = cells.map(
    ({ cellType, source, cell_id, outputs }) =>
      `<cell id="${cell_id}" type="${cellType}">\n${source}\n</cell>${outputs.map((text) => `\n<output>\n${text}\n</output>`).join("")}`,
  );
  return {
    content: [textBlock(shorten(texts.join("\n\n"), MAX_CHARS))],
    data: { type: "notebook", file: { filePath: path, cells } },
  };
}

/** Printed text, a value or an error; images are only mentioned. */
function outputText(output: unknown): string {
  const ename = stringAt(output, "ename");
  const trace = arrayAt(output, "traceback").join("\n");
  const error = ename === undefined ? "" : trace || `${ename}: ${stringAt(output, "evalue") ?? ""}`;
  const pictures = Object.keys(objectOf(valueAt(output, "data"))).filter((kind) => kind.startsWith("image/"));
  return [
    textOf(valueAt(output, "text")),
    textOf(valueAt(output, "data", "text/plain")),
    error,
    ...pictures.map((kind) => `[${kind}]`),
  ]
    .filter((text) => text !== "")
    .join("\n");
}

/** Text as one string or as a list of lines. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : "";
}

function objectOf(value: unknown): object {
  return isObject(value) ? value : {};
}

function shorten(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}\n… (${text.length - maxChars} more characters)` : text;
}
