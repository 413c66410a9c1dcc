import {
  type CommandNode,
  type PipelineNode,
  parse,
  type Redirection,
  type Script,
  type Statement,
  type Assignment as SyntaxAssignment,
  type Command as SyntaxCommand,
  type Word as SyntaxWord,
} from "unbash";
import {
  type Assignment,
  type CommandList,
  type Group,
  type Pipe,
  type Redirect,
  type ShellNode,
  type SimpleCommand,
  Uncertain,
  type Word,
} from "./shell-node.js";
import { toWord } from "./shell-word.js";

const MAX_CHARS = 100_000;
/** Those of a terminal, and carriage returns: bash reads them as parts of words. Tab and newline are plain. */
const CONTROL = /[^\P{Cc}\t\n]|\p{Surrogate}/u;

/** A backslash at the end of a line that has no blank beside it. */
const JOINED = /(?<![ \t])\\\n(?![ \t])/;

/** The tree, or why the line is not certain. */
export function readShellTree(command: string): ShellNode | { readonly kind: "unclear"; readonly reason: string } {
  if (command.length > MAX_CHARS) return { kind: "unclear", reason: "it is very long" };
  if (CONTROL.test(command)) return { kind: "unclear", reason: "it contains control characters" };
  if (JOINED.test(command)) return { kind: "unclear", reason: "it joins lines inside of a word" };
  try {
    return toList(parse(command), command);
  } catch (error) {
    // The parser gives up on deep nesting.
    return { kind: "unclear", reason: error instanceof Uncertain ? error.message : "it cannot be parsed" };
  }
}

function toList(script: Script & { errors?: unknown }, source: string): CommandList {
  if (script.errors) throw new Uncertain("it is not valid shell syntax");
  if (script.source !== undefined) throw new Uncertain("it contains backquotes");
  return toItems(script.commands, source);
}

function toItems(statements: readonly Statement[], source: string): CommandList {
  return {
    kind: "list",
    items: statements.map(({ command, background }) => ({
      node: toNode(command, source),
      isBackground: background ?? false,
    })),
  };
}

function toNode(node: Statement["command"], source: string): ShellNode {
  switch (node.type) {
    case "AndOr":
      return { kind: "chain", nodes: node.commands.map((it) => toNode(it, source)), operators: node.operators };
    case "Pipeline":
      return toPipe(node, source);
    default:
      return toCommand(node, source);
  }
}

function toPipe(node: Extract<PipelineNode, { type: "Pipeline" }>, source: string): Pipe {
  const prefixes = node.prefixes.map((prefix) => {
    if (prefix.type === "Negation") return "!";
    if (prefix.endOfOptions) throw new Uncertain("`time --` is not understood");
    return prefix.posix ? "time -p" : "time";
  });
  const nodes = node.commands.map((it) => toCommand(it, source));
  return { kind: "pipe", nodes, operators: node.operators, prefixes };
}

function toCommand(node: CommandNode, source: string): ShellNode {
  switch (node.type) {
    case "Command":
      return toSimple(node, source);
    case "Subshell":
    case "BraceGroup":
      return toGroup(node, [], source);
    case "Redirected":
      if (node.command.type !== "Subshell" && node.command.type !== "BraceGroup") return refuse(node.command.type);
      return toGroup(node.command, node.redirects, source);
    default:
      return refuse(node.type);
  }
}

/** Such as `If`, `ArithmeticCommand`. */
function refuse(type: string): never {
  const words = type.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  throw new Uncertain(`it contains more than plain commands (${words})`);
}

function toGroup(
  node: Extract<CommandNode, { type: "Subshell" | "BraceGroup" }>,
  redirects: readonly Redirection[],
  source: string,
): Group {
  return {
    kind: "group",
    isSubshell: node.type === "Subshell",
    body: toItems(node.body.commands, source),
    redirects: redirects.map((it) => toRedirect(it, source)),
  };
}

function toSimple(node: SyntaxCommand, source: string): SimpleCommand {
  const assignments = node.prefix.flatMap((it) => (it.type === "Assignment" ? toAssignment(it, source) : []));
  const args = node.args.map((it) => (it.type === "Word" ? readWord(it, source) : assigned(it, source)));
  return {
    kind: "command",
    assignments,
    words: [...(node.name ? [readWord(node.name, source)] : []), ...args],
    redirects: node.redirects.map((it) => toRedirect(it, source)),
    text: source.slice(node.pos, node.end),
  };
}

function readWord(word: SyntaxWord, source: string): Word {
  return toWord(word, (script) => toList(script, source));
}

function toAssignment({ name, value, append, index }: SyntaxAssignment, source: string): Assignment {
  if (value.type !== "Word" || append || index) throw new Uncertain("it contains an assignment that is not plain");
  return { name, value: readWord(value, source) };
}

/** An argument such as that of `export A=1`. */
function assigned(node: SyntaxAssignment, source: string): Word {
  const { name, value } = toAssignment(node, source);
  const text = `${name}=`;
  return {
    pieces: [{ kind: "text", text }, ...value.pieces],
    value: value.value === undefined ? undefined : text + value.value,
    text: node.text,
  };
}

function toRedirect(node: Redirection, source: string): Redirect {
  if (node.descriptor?.type === "FileDescriptorVariable") throw new Uncertain("it opens a file for a variable");
  const descriptor = node.descriptor?.value;
  if (node.type === "HereDoc") return { kind: "text", text: toInput(node), descriptor };
  if (!node.target) throw new Uncertain("a redirection has no target");
  const target = readWord(node.target, source);
  if (node.type === "Redirect") return { kind: "file", operator: node.operator, descriptor, target };
  if (target.value === undefined) throw new Uncertain("the text of a here-string is not known");
  return { kind: "text", text: `${target.value}\n`, descriptor };
}

function toInput({ operator, delimiter, body, closing }: Extract<Redirection, { type: "HereDoc" }>): string {
  const isPlain = delimiter?.quoted || (body.parts === undefined && !/[$`\\]/.test(body.text));
  if (operator !== "<<" || !closing || !delimiter || !isPlain || !/^\w+$/.test(delimiter.value))
    throw new Uncertain("it contains a here-document that is not plain text");
  return body.text;
}
