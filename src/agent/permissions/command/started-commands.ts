import { type Assignment, type Command, forEachChild, parse, type SyntaxNode, type Word } from "unbash";
import { isGlob } from "./expand-glob.js";
import { type Piece, Uncertain } from "./shell-node.js";
import { toWord } from "./shell-word.js";

/** One program that a command line starts, as far as it can be told. */
export interface StartedCommand {
  /** Program and arguments; undefined: known only when it runs. */
  readonly words: readonly StartedWord[];
  readonly assignments: readonly string[];
  /**
   * `unseen`: it gets more words than these (`xargs`). `found`: `{}` stands for files that are found; `below`: by names that begin with
   * a dot or a slash.
   */
  readonly more?: "unseen" | "found" | "below" | undefined;
}

export interface StartedWord {
  /** As it is passed to the program, globs as written; undefined: known only when it runs. */
  readonly value: string | undefined;
  readonly pieces: readonly Piece[];
  /** Bash makes exactly this of it, or, where the value is not known, exactly one word. */
  readonly isCertain: boolean;
}

/** Everything that a command line starts, opens and feeds, wherever it stands in it; for rules that forbid. */
export interface StartedLine {
  readonly commands: readonly StartedCommand[];
  /** Files that redirections read and write; undefined: known only when it runs. */
  readonly reads: readonly (string | undefined)[];
  readonly writes: readonly (string | undefined)[];
  /** Texts that are fed to some command. */
  readonly inputs: readonly string[];
  /** Why the list may be incomplete. */
  readonly doubts: readonly string[];
  /** Commands run at most once, and not before those in front of them: there are no loops, functions and scripts. */
  readonly isOrdered: boolean;
}

const MAX_CHARS = 200_000;
/** Bash evaluates the text in these, also where it is quoted. */
const EVALUATED = /^Arithmetic|^Test/;
/** A name is evaluated again: the value of a variable may hold a command. */
const NOT_PLAIN = /[$`[A-Za-z_]/;
const REPEATED = /^(?:While|For|Select|ArithmeticFor|Function)$/;
/** Characters that bash may read in another way than the parser: those of terminals, and lines that are joined inside of a word. */
const ODD = /[^\P{Cc}\t\n]|\p{Surrogate}|(?<![ \t])\\\n(?![ \t])/u;

/** `home` is what `~` stands for. */
export function readStartedLine(command: string, home: string): StartedLine {
  const line = new Collected(home);
  try {
    if (command.length > MAX_CHARS) line.doubts.push("the command is very long");
    else {
      if (ODD.test(command)) line.doubts.push("the command contains characters that a shell may read in several ways");
      visit(parse(command), line);
    }
  } catch {
    // The parser gives up on deep nesting.
    line.doubts.push("the command cannot be parsed");
  }
  return line;
}

class Collected implements StartedLine {
  readonly commands: StartedCommand[] = [];
  readonly reads: (string | undefined)[] = [];
  readonly writes: (string | undefined)[] = [];
  readonly inputs: string[] = [];
  readonly doubts: string[] = [];
  isOrdered = true;

  constructor(readonly home: string) {}

  /** What is set without a command. */
  assign(name: string): void {
    this.commands.push({ words: [], assignments: [`${name}=`] });
  }
}

function visit(node: SyntaxNode, line: Collected): void {
  line.isOrdered &&= !REPEATED.test(node.type);
  const doubt = findDoubt(node);
  if (doubt !== undefined) line.doubts.push(doubt);
  if (node.type === "ParameterExpansion" && node.operation?.operator.endsWith("=")) line.assign(node.parameter);
  if (node.type === "For" || node.type === "Select") line.assign(node.name.value);
  if (node.type === "Coproc" && node.name) line.assign(node.name.value);
  if (node.type === "FileDescriptorVariable") line.assign(node.name);
  if (node.type === "Command") line.commands.push(toStarted(node, line.home));
  if (node.type === "HereDoc") line.inputs.push(node.body.text);
  if (node.type === "HereString" && node.target) line.inputs.push(resolveWord(node.target, line.home).value ?? "");
  if (node.type === "Redirect" && node.target) {
    const target = resolveWord(node.target, line.home);
    const value = isGlob(target.pieces) || !target.isCertain ? undefined : target.value;
    const isDescriptor = /&$/.test(node.operator) && /^(?:\d+-?|-)$/.test(value ?? "");
    if (!isDescriptor && node.operator !== "<") line.writes.push(value);
    if (/^<>?$/.test(node.operator)) line.reads.push(value);
  }
  forEachChild(node, (child) => visit(child, line));
}

/** Why the parser may have missed a command in this node. */
function findDoubt(node: SyntaxNode): string | undefined {
  const evaluates = "the command evaluates text";
  switch (node.type) {
    case "Script":
      if (node.errors) return "the command is not valid shell syntax";
      return node.source === undefined ? undefined : "the command contains backquotes in backquotes";
    case "TestCommand":
    case "ArithmeticCommand":
    case "ArithmeticFor":
      return evaluates;
    case "ParameterExpansion": {
      const { index, prefix, operation } = node;
      const isEvaluated = /^(?:Transform|Slice|Unknown|Names)$/.test(operation?.type ?? "");
      return index || prefix || isEvaluated ? evaluates : undefined;
    }
    case "Assignment":
      return node.index || /^\w+\+?=\s*\([\s\S]*\[/.test(node.text) ? evaluates : undefined;
    case "HereDoc": {
      const { operator, delimiter, closing } = node;
      const isPlain = operator === "<<" && closing && /^\w+$/.test(delimiter?.value ?? "");
      if (!isPlain) return "the end of a here-document is not certain";
      return /\$(?:\(\(|\[)/.test(node.body.text) ? evaluates : undefined;
    }
    default:
      return EVALUATED.test(node.type) && "text" in node && NOT_PLAIN.test(String(node.text).slice(2))
        ? evaluates
        : undefined;
  }
}

function toStarted({ name, args, prefix }: Command, home: string): StartedCommand {
  return {
    words: [...(name ? [name] : []), ...args].map((it) => (it.type === "Word" ? resolveWord(it, home) : assigned(it))),
    assignments: prefix.flatMap((it) => (it.type === "Assignment" ? [it.text] : [])),
  };
}

/** An argument such as that of `export A=1`: its name is what matters. */
function assigned({ text, value }: Assignment): StartedWord {
  const isPlain = value.type === "Word" && !value.parts && !/[~{}$`\\]/.test(text);
  return { value: text, pieces: [{ kind: "text", text }], isCertain: isPlain };
}

/** Text, quoted or not, with globs as they are written. */
function resolveWord(word: Word, home: string): StartedWord {
  const rest = /^~(?=\/|$)/.test(word.text) ? atHome(word, home) : word;
  const pieces = readPieces(rest);
  const isCertain = isPlainWord(rest);
  if (!pieces) return { value: undefined, pieces: [], isCertain: isCertain && isOneWord(rest) };
  return { value: pieces.map((piece) => ("text" in piece ? piece.text : "")).join(""), pieces, isCertain };
}

function atHome(word: Word, home: string): Word {
  const [first, ...others] = word.parts ?? [];
  const replaced = (text: string) => text.replace(/^~/, home);
  const parts =
    first && "value" in first ? [{ ...first, value: replaced(first.value), text: replaced(first.text) }] : [];
  const text = replaced(word.text);
  return { ...word, text, value: replaced(word.value), ...(word.parts ? { parts: [...parts, ...others] } : {}) };
}

function readPieces({ parts, value }: Word): readonly Piece[] | undefined {
  if (!parts) return /[{}]/.test(value) && /,|\.\./.test(value) ? undefined : [{ kind: "text", text: value }];
  const pieces: Piece[] = [];
  for (const part of parts) {
    if (part.type === "Glob") pieces.push({ kind: "glob", text: part.text });
    else if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted")
      pieces.push({ kind: "text", text: part.value });
    else if (part.type === "DoubleQuoted") {
      for (const child of part.parts) {
        const text =
          child.type === "Literal"
            ? child.value
            : child.type === "CommandExpansion"
              ? givenText(child.script)
              : undefined;
        if (text === undefined) return undefined;
        pieces.push({ kind: "text", text });
      }
    } else return undefined;
  }
  return pieces;
}

/** Whether it is made only of what bash and the parser are known to read alike. */
function isPlainWord(word: Word): boolean {
  try {
    toWord(word, () => ({ kind: "list", items: [] }));
    return true;
  } catch (error) {
    if (error instanceof Uncertain) return false;
    throw error;
  }
}

/** What is expanded in it is in quotes, and no list. */
function isOneWord({ parts = [] }: Word): boolean {
  return parts.every(
    (part) =>
      /^(?:Literal|SingleQuoted|AnsiCQuoted)$/.test(part.type) ||
      (part.type === "DoubleQuoted" && !part.parts.some((child) => /^\$\{?[@*]/.test(child.text))),
  );
}

/** `"$(cat <<'EOF' … EOF)"`: a text, written as Claude Code does. */
function givenText(script: SyntaxNode | undefined): string | undefined {
  if (script?.type !== "Script" || script.errors || script.commands.length !== 1) return undefined;
  const command = script.commands[0]?.command;
  if (command?.type !== "Command" || command.name?.value !== "cat" || command.suffix.length !== 1) return undefined;
  const [input] = command.suffix;
  const isPlain = command.prefix.length === 0 && input?.type === "HereDoc" && input.delimiter?.quoted;
  return isPlain && input.closing ? input.body.text.replace(/\n+$/, "") : undefined;
}
