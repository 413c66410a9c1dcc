import { judgeName, type NameClass } from "../../judge/judge-name.js";
import { isSecretValue } from "../../judge/judge-value.js";
import type { Stretch } from "../finding.js";
import type { AssignedName } from "./assigned-name.js";

/** The values below a name that is the head of a column, in a table of Markdown or a database or in CSV. */
export function readColumn(text: string, name: AssignedName, nameClass: NameClass): Stretch[] {
  const delimiter = delimiterBeside(text, name);
  const head = delimiter && lineAround(text, name.start);
  if (!head || !isHead(head.text, delimiter)) return readAligned(text, name, nameClass);
  const column = countOf(text.slice(head.start, name.start), delimiter);
  return rowsBelow(text, head, delimiter)
    .flatMap((row) => cellAt(row, column, delimiter) ?? [])
    .filter((cell) =>
      isSecretValue(cell.text, nameClass, nameClass === "password" || nameClass === "pass" ? "tight" : "listed"),
    );
}

const ALIGNED_HEAD =
  /^[ \t]*[A-Z][A-Z\d_-]*(?: [A-Z][A-Z\d_-]*)?(?: {2,}[A-Z][A-Z\d_-]*(?: [A-Z][A-Z\d_-]*)?){1,12}[ \t]*$/;
const MAX_ALIGNED = 40;

/** Columns that only spaces separate, below names in capitals, as kubectl prints them. */
function readAligned(text: string, name: AssignedName, nameClass: NameClass): Stretch[] {
  const head = lineAround(text, name.start);
  if (!head) return [];
  const isUnderlined = /^[ \t]*-{3,}(?: +-{3,})*[ \t]*$/.test(lineFrom(text, head.next)?.text ?? "");
  if (!isUnderlined && !ALIGNED_HEAD.test(head.text)) return [];
  const offset = name.start - head.start;
  const cells: Stretch[] = [];
  for (let row = lineFrom(text, head.next); row && row.text.trim() !== "" && cells.length < MAX_ALIGNED; ) {
    const cell = /^ *(\S+)/.exec(row.text.slice(offset));
    const start = row.start + offset + (cell?.[0].length ?? 0) - (cell?.[1]?.length ?? 0);
    if (cell?.[1] && !/^-+$/.test(cell[1]) && /(?:^|\s)$/.test(row.text.slice(0, offset)))
      cells.push({ text: cell[1], start, end: start + cell[1].length });
    row = row.next > row.end ? lineFrom(text, row.next) : undefined;
  }
  return cells.filter((cell) => isSecretValue(cell.text, nameClass, "listed"));
}

const MAX_LINE = 400;
const MAX_ROWS = 500;
const BESIDE = /^(?:\\*["'`]|[ \t*])*([|│,;\t]|\\+t|$|[\r\n]|\\+[nr])/;
const BEFORE = /([|│,;\t]|\\+t|[\r\n]|\\+[nr]|^)(?:\\*["'`]|[ *])*$/;

/** The delimiter of the cells on both sides of a name. */
function delimiterBeside(text: string, name: AssignedName): string | undefined {
  const after = BESIDE.exec(text.slice(name.end, name.end + 40))?.[1];
  if (after === undefined) return undefined;
  const before = BEFORE.exec(text.slice(Math.max(0, name.start - 40), name.start))?.[1] ?? "";
  return [after, before].map(toDelimiter).find((delimiter) => delimiter !== undefined);
}

function toDelimiter(found: string): string | undefined {
  return /^\\+t$/.test(found) ? found : /^[|│,;\t]$/.test(found) ? found : undefined;
}

const LINE_END = /\r?\n|(?:\\+r)?\\+n/g;
const LAST_LINE_END = /^[\s\S]*(?:\n|\\n)/;

function lineAround(text: string, at: number): ReturnType<typeof lineFrom> {
  const before = text.slice(Math.max(0, at - MAX_LINE), at);
  const start = at - before.length + (LAST_LINE_END.exec(before)?.[0].length ?? 0);
  if (start === at - MAX_LINE) return undefined;
  return lineFrom(text, start);
}

/** One line, which must end within the limit; the next one starts at its end and the length of the line end. */
function lineFrom(text: string, start: number): (Stretch & { readonly next: number }) | undefined {
  const window = text.slice(start, start + MAX_LINE);
  LINE_END.lastIndex = 0;
  const end = LINE_END.exec(window);
  if (!end && window.length === MAX_LINE) return undefined;
  const line = end ? window.slice(0, end.index) : window;
  return { text: line, start, end: start + line.length, next: start + line.length + (end?.[0].length ?? 0) };
}

const HEAD_CELL = /^(?:\\*["'`]|[\s*])*[\p{L}_][\p{L}\d_ .()/-]{0,40}(?:\\*["'`]|[\s*])*$|^[\s+-]*$/u;

/** Only names of columns, so that a line of code or prose with commas is none. */
function isHead(line: string, delimiter: string): boolean {
  const cells = line.split(delimiter);
  const isBarred = delimiter === "|" || delimiter === "│";
  const names = cells.filter((cell) => /\p{L}/u.test(cell)).length;
  const isComplete = names >= 2 && (isBarred || names === cells.length); // not the lines of a list: a comma after each
  return isComplete && cells.length <= 40 && cells.every((cell) => HEAD_CELL.test(cell));
}

const SEPARATOR_ROW = /^[\s|+:│┼├┤═╪-]*-{2,}[\s|+:│┼├┤-]*$|^[├┼┤─═╪╞╡\s]+$/;

/** The rows with as many cells as the head. A table of bars has a line of dashes between. */
function rowsBelow(text: string, head: Stretch, delimiter: string): Stretch[] {
  const cells = countOf(head.text, delimiter);
  const rows: Stretch[] = [];
  const isBarred = delimiter === "|" || delimiter === "│";
  const first = lineFrom(text, head.start);
  let at = first?.next ?? text.length;
  let isSeparated = !isBarred;
  while (at < text.length && rows.length < MAX_ROWS) {
    const line = lineFrom(text, at);
    if (!line || line.next === at) break;
    if (isBarred && SEPARATOR_ROW.test(line.text)) isSeparated = true;
    else if (!isSeparated || countOf(line.text, delimiter) !== cells || isHeadAgain(line, delimiter)) break;
    else rows.push(line);
    at = line.next;
  }
  return rows;
}

/** Another head, which is read when its turn comes. */
const isHeadAgain = (line: Stretch, delimiter: string) =>
  line.text.split(delimiter).some((cell) => cell.length <= MAX_HEAD_CELL && judgeName(cell.trim()) !== undefined);

const MAX_HEAD_CELL = 24;
const countOf = (text: string, part: string) => text.split(part).length - 1;

function cellAt(row: Stretch, column: number, delimiter: string): Stretch | undefined {
  const cells = row.text.split(delimiter);
  const cell = cells[column];
  if (cell === undefined) return undefined;
  const before = cells.slice(0, column).reduce((length, other) => length + other.length + delimiter.length, 0);
  const [, open = "", value = ""] = /^((?:\\*["'`]|[\s*])*)([^"'`\\]*?)(?:\\*["'`]|[\s*])*$/.exec(cell) ?? [];
  const start = row.start + before + open.length;
  return { text: value, start, end: start + value.length };
}
