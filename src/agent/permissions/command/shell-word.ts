import type { Word as SyntaxWord, WordPart } from "unbash";
import { isPlainSet } from "./expand-glob.js";
import { type CommandList, type Piece, type SimpleCommand, Uncertain, type Word } from "./shell-node.js";

type ReadScript = (script: Script) => CommandList;
type Script = NonNullable<Extract<WordPart, { type: "CommandExpansion" }>["script"]>;

export function toWord(word: SyntaxWord, readScript: ReadScript): Word {
  if (word.text.startsWith("~")) throw new Uncertain("it names a home folder by `~`");
  const pieces = word.parts
    ? word.parts.flatMap((part) => toPieces(part, readScript))
    : [{ kind: "text" as const, text: checked(word.text, word.value) }];
  return { pieces, value: textOfPieces(pieces), text: word.text };
}

function textOfPieces(pieces: readonly Piece[]): string | undefined {
  let value = "";
  for (const piece of pieces) {
    if (piece.kind !== "text" && piece.kind !== "glob") return undefined;
    value += piece.text;
  }
  return value;
}

/** Text outside of quotes that bash may expand although the parser does not say so is not certain. */
function checked(text: string, value: string): string {
  if (/[=:]~/.test(text)) throw new Uncertain("it names a home folder by `~`");
  if (/[{}]/.test(text) && /,|\.\./.test(text)) throw new Uncertain("it contains braces that may be expanded");
  if (/[`$]/.test(text.replace(/\\[\s\S]/g, ""))) throw new Uncertain("it contains an expansion that is not plain");
  return value;
}

function toPieces(part: WordPart, readScript: ReadScript): readonly Piece[] {
  switch (part.type) {
    case "Literal":
      return [{ kind: "text", text: checked(part.text, part.value) }];
    case "SingleQuoted":
      return [{ kind: "text", text: part.value }];
    case "DoubleQuoted":
      return part.parts.map((child) => toQuoted(child, readScript));
    case "AnsiCQuoted":
      // Escapes of characters by number are left to a person.
      if (!/^\$'(?:[^\\']|\\[tn\\'"])*'$/.test(part.text)) throw new Uncertain("it contains `$'…'` with escapes");
      return [{ kind: "text", text: part.value }];
    case "Glob":
      if (part.kind === "bracket" && !isPlainSet(part.text))
        throw new Uncertain("it contains a glob that is not plain");
      return [{ kind: "glob", text: part.text }];
    case "BraceExpansion":
      return [{ kind: "braces", texts: toTexts(part.text) }];
    case "ProcessSubstitution":
      if (part.operator !== "<" || !part.script) throw new Uncertain("it contains an expansion that is not plain");
      return [{ kind: "stream", of: readScript(part.script) }];
    default:
      return [toExpansion(part, false, readScript)];
  }
}

const MAX_BRACES = 100;

/** Of plain text only: bash expands braces first, and reads what they make once more. */
function toTexts(braces: string): readonly string[] {
  const listed = /^\{([\w./:@%+-]*(?:,[\w./:@%+-]*)+)\}$/.exec(braces)?.[1];
  if (listed !== undefined) return listed.split(",");
  const [, from = "", to = ""] = /^\{(0|[1-9]\d{0,3})\.\.(0|[1-9]\d{0,3})\}$/.exec(braces) ?? [];
  const count = Math.abs(Number(to) - Number(from)) + 1;
  if (from === "" || count > MAX_BRACES) throw new Uncertain("it contains braces that are not plain");
  const step = Number(to) < Number(from) ? -1 : 1;
  return Array.from({ length: count }, (_, at) => String(Number(from) + at * step));
}

function toQuoted(part: Extract<WordPart, { type: "DoubleQuoted" }>["parts"][number], readScript: ReadScript): Piece {
  return part.type === "Literal" ? { kind: "text", text: part.value } : toExpansion(part, true, readScript);
}

function toExpansion(part: WordPart, isQuoted: boolean, readScript: ReadScript): Piece {
  const isVariable = part.type === "SimpleExpansion" && /^\$(?:[A-Za-z_]\w*|[\d?#@*!$-])$/.test(part.text);
  const isBraced = part.type === "ParameterExpansion" && /^\$\{[A-Za-z_]\w*\}$/.test(part.text);
  if (isVariable || isBraced) return { kind: "variable", name: part.text.replace(/^\$\{?|\}$/g, ""), isQuoted };
  if (part.type !== "CommandExpansion" || !part.script || !/^\$\((?!\()/.test(part.text))
    throw new Uncertain("it contains an expansion that is not plain");
  const of = readScript(part.script);
  const text = isQuoted ? textOf(of) : undefined;
  return text === undefined ? { kind: "output", of, isQuoted } : { kind: "text", text };
}

/** `"$(cat <<'EOF' … EOF)"` is how Claude Code writes a text of several lines. */
function textOf({ items: [item, ...others] }: CommandList): string | undefined {
  if (!item || others.length > 0 || item.node.kind !== "command" || item.isBackground) return undefined;
  const { assignments, words, redirects }: SimpleCommand = item.node;
  const [input, ...more] = redirects;
  const isCat = assignments.length === 0 && words.length === 1 && words[0]?.value === "cat";
  if (!isCat || more.length > 0 || input?.kind !== "text" || input.descriptor !== undefined) return undefined;
  return input.text.replace(/\n+$/, "");
}
