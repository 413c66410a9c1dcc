import { type Command, forEachChild, type HereDoc, parse, type SyntaxNode, type Word } from "unbash";
import { isGlob } from "./expand-glob.js";
import type { Piece } from "./shell-node.js";

/** One program that a command line starts, as far as it can be told. */
export interface StartedCommand {
  /** Program and arguments; undefined: known only when it runs. */
  readonly words: readonly (string | undefined)[];
  /** The same words, for those that contain globs. */
  readonly pieces: readonly (readonly Piece[])[];
  readonly assignments: readonly string[];
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
}

const MAX_CHARS = 200_000;
/** Bash evaluates the text in these, also where it is quoted. */
const EVALUATED = /^Arithmetic|^Test/;

export function readStartedLine(command: string): StartedLine {
  const line = { commands: [], reads: [], writes: [], inputs: [], doubts: [] } as Collected;
  try {
    if (command.length > MAX_CHARS) line.doubts.push("the command is very long");
    else visit(parse(command), line);
  } catch {
    // The parser gives up on deep nesting.
    line.doubts.push("the command cannot be parsed");
  }
  return line;
}

interface Collected extends StartedLine {
  readonly commands: StartedCommand[];
  readonly reads: (string | undefined)[];
  readonly writes: (string | undefined)[];
  readonly inputs: string[];
  readonly doubts: string[];
}

function visit(node: SyntaxNode, line: Collected): void {
  if (node.type === "Script" && node.errors) line.doubts.push("the command is not valid shell syntax");
  if (EVALUATED.test(node.type) && "text" in node && /[$`[]/.test(String(node.text).slice(2)))
    line.doubts.push("the command evaluates text");
  if (node.type === "TestCommand" || node.type === "ArithmeticCommand" || node.type === "ArithmeticFor")
    line.doubts.push("the command evaluates text");
  if (node.type === "ParameterExpansion" && (node.index || node.prefix || node.operation?.type === "Transform"))
    line.doubts.push("the command evaluates text");
  // A loop sets its variable.
  if (node.type === "For" || node.type === "Select")
    line.commands.push({ words: [], pieces: [], assignments: [`${node.name.value}=`] });
  if (node.type === "Command") line.commands.push(toStarted(node));
  if (node.type === "HereDoc") takeInput(node, line);
  if (node.type === "HereString" && node.target) line.inputs.push(resolveWord(node.target).value ?? "");
  if (node.type === "Redirect" && node.target) {
    const target = resolveWord(node.target);
    const value = isGlob(target.pieces) ? undefined : target.value;
    const isDescriptor = /&$/.test(node.operator) && /^(?:\d+-?|-)$/.test(value ?? "");
    if (!isDescriptor && node.operator !== "<") line.writes.push(value);
    if (/^<>?$/.test(node.operator)) line.reads.push(value);
  }
  forEachChild(node, (child) => visit(child, line));
}

function takeInput({ body }: HereDoc, { inputs }: Collected): void {
  inputs.push(body.text);
}

function toStarted({ name, args, prefix }: Command): StartedCommand {
  const words = [...(name ? [name] : []), ...args].map((it) =>
    it.type === "Word" ? resolveWord(it) : { value: it.text, pieces: [{ kind: "text" as const, text: it.text }] },
  );
  return {
    words: words.map(({ value }) => value),
    pieces: words.map(({ pieces }) => pieces),
    assignments: prefix.flatMap((it) => (it.type === "Assignment" ? [it.text] : [])),
  };
}

interface Resolved {
  readonly value: string | undefined;
  readonly pieces: readonly Piece[];
}

const UNKNOWN: Resolved = { value: undefined, pieces: [] };

/** Text, quoted or not, with globs as they are written. */
function resolveWord({ parts, value }: Word): Resolved {
  if (!parts)
    return /[{}]/.test(value) && /,|\.\./.test(value) ? UNKNOWN : { value, pieces: [{ kind: "text", text: value }] };
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
        if (text === undefined) return UNKNOWN;
        pieces.push({ kind: "text", text });
      }
    } else return UNKNOWN;
  }
  return { value: pieces.map((piece) => ("text" in piece ? piece.text : "")).join(""), pieces };
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
