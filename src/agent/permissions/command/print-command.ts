import type { Condition, Redirect, ShellNode, SimpleCommand, Word } from "./shell-node.js";

/** Words that are printed in place of those of a command. */
export type PrintedWords = ReadonlyMap<SimpleCommand, string>;

/**
 * The judged tree as text: what runs is what was judged, also where bash would have read the original in another way. Commands that
 * only read are printed with all their arguments quoted.
 */
export function printTree(node: ShellNode, printed: PrintedWords): string {
  const print = (inner: ShellNode) => printTree(inner, printed);
  switch (node.kind) {
    case "list":
      return node.items.map(({ node: item, isBackground }) => print(item) + (isBackground ? " &" : "")).join("\n");
    case "chain":
      return joined(node.nodes.map(print), node.operators);
    case "pipe":
      return [...node.prefixes, joined(node.nodes.map(print), node.operators)].join(" ");
    case "group": {
      const [open, close] = node.isSubshell ? ["(", ")"] : ["{", "}"];
      return [`${open}\n${print(node.body)}\n${close}`, ...node.redirects.map(printRedirect)].join(" ");
    }
    case "for":
      return `for ${node.name} in ${node.words.map((it) => printWord(it, printed)).join(" ")}\ndo\n${print(node.body)}\ndone`;
    case "if":
      return printCondition(node, print);
    case "command":
      return printCommand(node, printed);
    default:
      return node satisfies never;
  }
}

function printCondition({ branches, otherwise }: Condition, print: (node: ShellNode) => string): string {
  const tests = branches.map(
    ({ test, body }, at) => `${at === 0 ? "if" : "elif"}\n${print(test)}\nthen\n${print(body)}\n`,
  );
  return `${tests.join("")}${otherwise ? `else\n${print(otherwise)}\n` : ""}fi`;
}

function joined(parts: readonly string[], operators: readonly string[]): string {
  return parts.map((part, at) => (at === 0 ? part : `${operators[at - 1]} ${part}`)).join(" ");
}

function printCommand(command: SimpleCommand, printed: PrintedWords): string {
  const word = (it: Word) => printWord(it, printed);
  const words =
    printed.get(command) ?? command.words.map((it, at) => (at === 0 ? word(it) : printArgument(it, printed))).join(" ");
  const assignments = command.assignments.map(({ name, value }) => `${name}=${word(value)}`);
  return [...assignments, ...(words === "" ? [] : [words]), ...command.redirects.map(printRedirect)].join(" ");
}

function printRedirect(redirect: Redirect): string {
  const descriptor = redirect.descriptor ?? "";
  if (redirect.kind === "file") return `${descriptor}${redirect.operator} ${printWord(redirect.target, new Map())}`;
  // A here-string ends with a newline, as the last line of a here-document does.
  return redirect.text === "" ? `${descriptor}< /dev/null` : `${descriptor}<<< ${quote(redirect.text.slice(0, -1))}`;
}

export function printWord({ pieces }: Word, printed: PrintedWords): string {
  const parts = pieces.map((piece) => {
    switch (piece.kind) {
      case "text":
        return quote(piece.text);
      case "glob":
        return piece.text;
      case "variable":
        return piece.isQuoted ? `"\${${piece.name}}"` : `\${${piece.name}}`;
      case "braces":
        return `{${piece.texts.join(",")}}`;
      case "stream":
        return `<( ${printTree(piece.of, printed)}\n)`;
      case "output": {
        const inner = `$( ${printTree(piece.of, printed)}\n)`;
        return piece.isQuoted ? `"${inner}"` : inner;
      }
      default:
        return piece satisfies never;
    }
  });
  return parts.length === 0 ? "''" : parts.join("");
}

/** `export A=$x` splits the value if the name is quoted. */
function printArgument(word: Word, printed: PrintedWords): string {
  const [first, ...rest] = word.pieces;
  const isAssigned = first?.kind === "text" && /^[A-Za-z_]\w*=$/.test(first.text) && rest.length > 0;
  return isAssigned ? first.text + printWord({ ...word, pieces: rest }, printed) : printWord(word, printed);
}

const PLAIN = /^[\w./:@%+,-]+$/;
const RESERVED = /^(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|select|in|function|time|coproc)$/;

export function quote(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
