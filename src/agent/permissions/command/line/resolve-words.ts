import { findGitRoot } from "../../../workspace.js";
import type { Piece, ShellNode, Word } from "../shell-node.js";
import type { Moment } from "./moment.js";

const MAX_WORDS = 200;
/** Text that bash neither splits nor takes for a pattern. */
const PLAIN = /^[\w./:@%+,-]+$/;

/**
 * The words as bash expands them before it looks for files: a word for each text of braces, and the values of variables that are
 * known. What is known only when it runs stays as it is.
 */
export function resolveWords(words: readonly Word[], moment: Moment): readonly Word[] {
  return words.flatMap((word) => expandBraces(word).flatMap((it) => replaceVariables(it, moment)));
}

function expandBraces(word: Word): readonly Word[] {
  let variants: readonly (readonly Piece[])[] = [[]];
  for (const piece of word.pieces) {
    const texts: readonly Piece[] =
      piece.kind === "braces" ? piece.texts.map((text) => ({ kind: "text" as const, text })) : [piece];
    variants = variants.flatMap((before) => texts.map((text) => [...before, text]));
    if (variants.length > MAX_WORDS) return [word];
  }
  // `{a,}` alone makes one word: an empty one vanishes.
  return variants.map((pieces) => toWord(pieces, word)).filter(({ value }) => value !== "" || word.value === "");
}

function replaceVariables(word: Word, moment: Moment): readonly Word[] {
  const [only, ...others] = word.pieces;
  if (only?.kind === "variable" && !only.isQuoted && others.length === 0) {
    const parts = knownText(only, moment)?.split(/[ \t\n]+/);
    if (parts?.every((part) => PLAIN.test(part))) return parts.map((text) => toWord([{ kind: "text", text }], word));
  }
  return [
    toWord(
      word.pieces.map((piece) => replacePiece(piece, moment)),
      word,
    ),
  ];
}

function replacePiece(piece: Piece, moment: Moment): Piece {
  if (piece.kind !== "variable" && piece.kind !== "output") return piece;
  const text = knownText(piece, moment);
  if (text !== undefined && (piece.isQuoted || PLAIN.test(text))) return { kind: "text", text };
  const isOwn = piece.kind === "variable" && text === undefined && moment.variables.has(piece.name);
  return isOwn ? { ...piece, name: ownName(piece.name), isOwn: true } : piece;
}

/** The name under which a variable of the line really runs: none that a program or bash knows. */
export function ownName(name: string): string {
  return `v_${name}`;
}

/** `$PWD` and `$(pwd)` are the folder where the command runs; the root of its repository is known, too. */
function knownText(piece: Piece, { folders, variables }: Moment): string | undefined {
  if (piece.kind === "variable" && piece.name !== "PWD") return variables.get(piece.name);
  const command = piece.kind === "output" ? plainWords(piece.of) : "pwd";
  const [folder, ...others] = folders ?? [];
  if (folder === undefined || others.length > 0) return undefined;
  if (command === "pwd") return folder;
  return command === "git rev-parse --show-toplevel" ? findGitRoot(folder) : undefined;
}

/** The words of a single command, if they are plain text. */
function plainWords(node: ShellNode): string | undefined {
  if (node.kind !== "list" || node.items.length !== 1) return undefined;
  const [item] = node.items;
  if (item?.node.kind !== "command" || item.isBackground) return undefined;
  const { words, assignments, redirects } = item.node;
  return assignments.length + redirects.length > 0 ? undefined : words.map(({ value }) => value).join(" ");
}

function toWord(pieces: readonly Piece[], { text }: Word): Word {
  const texts = pieces.map((piece) => (piece.kind === "text" || piece.kind === "glob" ? piece.text : undefined));
  return { pieces, value: texts.includes(undefined) ? undefined : texts.join(""), text };
}
