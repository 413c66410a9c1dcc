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
  type TestExpression,
} from "unbash";
import {
  type Assignment,
  type CommandList,
  type Condition,
  type Group,
  type Loop,
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
    case "If":
      return toCondition(node, source);
    case "For":
      return toLoop(node, source);
    case "TestCommand":
      return toTest(node.expression, source);
    case "Redirected":
      if (node.command.type === "Subshell" || node.command.type === "BraceGroup")
        return toGroup(node.command, node.redirects, source);
      return {
        kind: "group",
        isSubshell: false,
        body: toCommand(node.command, source),
        redirects: node.redirects.map((it) => toRedirect(it, source)),
      };
    default:
      return refuse(node.type);
  }
}

function toCondition(node: Extract<CommandNode, { type: "If" }>, source: string): Condition {
  const branches = [node, ...node.elif].map(({ clause, then }) => ({
    test: toItems(clause.commands, source),
    body: toItems(then.commands, source),
  }));
  return { kind: "if", branches, otherwise: node.else && toItems(node.else.commands, source) };
}

function toLoop({ name, wordlist, body }: Extract<CommandNode, { type: "For" }>, source: string): Loop {
  if (!wordlist || !/^[A-Za-z_]\w*$/.test(name.text)) throw new Uncertain("it contains a loop that is not plain");
  const words = wordlist.map((it) => readWord(it, source));
  return { kind: "for", name: name.text, words, body: toItems(body.commands, source) };
}

/** `[[ -f x ]]` and `[[ a == b ]]` mean what `[` does, with every variable quoted. */
function toTest(expression: TestExpression, source: string): ShellNode {
  switch (expression.type) {
    case "TestUnary":
    case "TestBinary":
      return toComparison(expression, source);
    case "TestLogical": {
      const { operands, operator } = expression;
      const nodes = operands.map((it) => toTest(it, source));
      const body: ShellNode = { kind: "chain", nodes, operators: operands.slice(1).map(() => operator) };
      return { kind: "group", isSubshell: false, body, redirects: [] };
    }
    case "TestNot": {
      const prefixes = expression.negations.map(() => "!");
      const body: ShellNode = { kind: "pipe", nodes: [toTest(expression.operand, source)], operators: [], prefixes };
      return { kind: "group", isSubshell: false, body, redirects: [] };
    }
    default:
      return refuse("TestCommand");
  }
}

function toComparison(
  expression: Extract<TestExpression, { type: "TestUnary" | "TestBinary" }>,
  source: string,
): SimpleCommand {
  const isUnary = expression.type === "TestUnary";
  const isKnown = isUnary ? /^-[defhLrswxnz]$/ : /^(?:==?|!=)$/;
  if (!isKnown.test(expression.operator)) return refuse("TestCommand");
  const operator = literal(expression.operator.replace("==", "="));
  const operands = (isUnary ? [expression.operand] : [expression.left, expression.right]).map((it) =>
    quoted(readWord(it, source)),
  );
  const words = isUnary ? [operator, ...operands] : [...operands.slice(0, 1), operator, ...operands.slice(1)];
  const text = source.slice(expression.pos, expression.end);
  return { kind: "command", assignments: [], words: [literal("["), ...words, literal("]")], redirects: [], text };
}

function literal(text: string): Word {
  return { pieces: [{ kind: "text", text }], value: text, text };
}

function quoted(word: Word): Word {
  const pieces = word.pieces.map((piece) => {
    if (piece.kind === "glob" || piece.kind === "braces" || piece.kind === "stream") return refuse("TestCommand");
    return "isQuoted" in piece ? { ...piece, isQuoted: true } : piece;
  });
  return { ...word, pieces };
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
