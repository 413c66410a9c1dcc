import { judgeName } from "../judge/judge-name.js";
import { isSecretValue } from "../judge/judge-value.js";
import { captureAt, type Finder, type Finding, matchedGroup, type Stretch } from "./finding.js";

/** Values of SQL that the names of their columns give away, and arguments of statements that take a password. */
export const sqlFinders: readonly Finder[] = [
  {
    anchors: ["insert into", "INSERT INTO", "Insert Into", "REPLACE INTO"],
    isGuess: true,
    find: (text, at) => findInRows(text, at),
  },
  { anchors: ["COPY ", "copy "], isGuess: true, find: (text, at) => findInCopy(text, at) },
  {
    anchors: [
      "identified by",
      "pragma key",
      "pragma rekey",
      "' key '",
      " key '",
      "crypt('",
      "md5('",
      "sha1('",
      "sha2('",
      "password('",
      "decrypt(",
    ],
    isGuess: true,
    anyCase: true,
    find: (text, at) =>
      [captureAt(ARGUMENT, text, at) ?? []]
        .flat()
        .flatMap((value) => toFinding(value, "password", isSecretValue(value.text, "password", "tight"))),
  },
];

const ARGUMENT =
  /(?:identified by[ \t]+(?!["'])|pragma (?:re)?key[ \t]*=[ \t]*["']|'? key[ \t]+'|(?:crypt|md5|sha[12]|password)\('|decrypt\([^)'\n]{0,64}')([^\s"';)\\]{6,128})/diy;

function toFinding({ start, end }: Stretch, kind: string, isFound: boolean): Finding[] {
  return isFound ? [{ kind, start, end, certain: false }] : [];
}

const HEAD =
  /(?:insert|replace) into[ \t]+[\w."`[\]]{1,128}\s*\(([^()]{1,2000})\)\s*(?:output [^()]{0,80})?values?\s*/diy;
const MAX_ROWS = 200;

function findInRows(text: string, at: number): Finding[] {
  const columns = captureAt(HEAD, text, at);
  const names = columns?.text.split(",").map((name) => name.replace(/[\s"'`[\]\\]+/g, "")) ?? [];
  if (!names.some((name) => isColumn(name))) return [];
  return rowsAt(text, HEAD.lastIndex).flatMap((row) => findInRow(names, row));
}

const isColumn = (name: string) =>
  judgeName(name) !== undefined || /^(?:key|name|setting|option)(?:_?name)?$/i.test(name);
const CELL =
  /\s*(?:N?(\\*')((?:[^'\\\n]|''){0,512})\1|\\?"([^"\n\\]{0,512})\\?"|([^,()'"]{0,256}|\w{1,32}\([^()]{0,200}\)))\s*(,|\))/dgy;

interface Cell extends Stretch {
  readonly isLast: boolean;
}

/** The cells of the rows `('a', 1), ('b', 2)`. */
function rowsAt(text: string, from: number): Cell[][] {
  const rows: Cell[][] = [];
  let at = from;
  while (rows.length < MAX_ROWS && text.charAt(at) === "(") {
    const row: Cell[] = [];
    for (let cell = cellAt(text, at + 1); cell && row.length < 100; cell = cell.isLast ? undefined : cellAt(text, at)) {
      row.push(cell);
      at = CELL.lastIndex;
    }
    if (row.length === 0) return rows;
    rows.push(row);
    at += /^\s*,\s*/.exec(text.slice(at, at + 16))?.[0].length ?? 0;
  }
  return rows;
}

function cellAt(text: string, at: number): Cell | undefined {
  CELL.lastIndex = at;
  const match = CELL.exec(text);
  const value = matchedGroup(match, 2) ?? matchedGroup(match, 3) ?? matchedGroup(match, 4);
  return value && { ...value, isLast: match?.[5] === ")" };
}

function findInRow(names: readonly string[], row: readonly Cell[]): Finding[] {
  const nameAt = names.findIndex((name) => /^(?:key|name|setting|option)(?:_?name)?$/i.test(name));
  const named = row[nameAt]?.text ?? "";
  return row.flatMap((cell, index) => {
    const name = /^(?:value|val|data)$/i.test(names[index] ?? "") ? named : (names[index] ?? "");
    const nameClass = judgeName(name);
    const isFound = nameClass !== undefined && isSecretValue(cell.text, nameClass, "quoted");
    return toFinding(cell, nameClass === "password" ? "password" : "secret", isFound);
  });
}

const COPY =
  /copy[ \t]+[\w."]{1,128}[ \t]*\(([^()]{1,2000})\)[ \t]+from[ \t]+stdin[^\n;]{0,80};?(\\*)(?:\r?\n|\\+n)/diy;

function findInCopy(text: string, at: number): Finding[] {
  const columns = captureAt(COPY, text, at);
  const names = columns?.text.split(",").map((name) => name.replace(/[\s"'`]+/g, "")) ?? [];
  if (!names.some((name) => judgeName(name) !== undefined)) return [];
  const found: Finding[] = [];
  let from = COPY.lastIndex;
  for (let rows = 0; rows < MAX_ROWS; rows++) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, Math.min(end < 0 ? text.length : end, from + 4000));
    if (line === "" || line.startsWith("\\.")) return found;
    found.push(...findInRow(names, cellsOf(line, from)));
    if (end < 0) return found;
    from = end + 1;
  }
  return found;
}

function cellsOf(line: string, start: number): Cell[] {
  let at = start;
  return line.split("\t").map((text) => {
    const cell = { text, start: at, end: at + text.length, isLast: false };
    at = cell.end + 1;
    return cell;
  });
}
