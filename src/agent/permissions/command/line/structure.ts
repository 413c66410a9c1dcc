import { readCall } from "../read-call.js";
import type { ShellNode, SimpleCommand } from "../shell-node.js";
import { isStateBuiltin } from "../started-programs.js";

/** What a line contains that is understood only if all of it only reads; undefined: only plain commands. */
export function findStructure(node: ShellNode): string | undefined {
  switch (node.kind) {
    case "list":
      return first(node.items.map(({ node: item }) => item));
    case "chain":
    case "pipe":
      return first(node.nodes);
    case "group":
      return findStructure(node.body);
    case "for":
    case "if":
      return `it contains more than plain commands (${node.kind})`;
    case "command": {
      const pieces = [...node.words, ...node.assignments.map(({ value }) => value)].flatMap((word) => word.pieces);
      if (pieces.some(({ kind }) => kind === "braces")) return "it contains braces that are expanded";
      if (pieces.some(({ kind }) => kind === "stream")) return "it contains a process substitution";
      return first(pieces.flatMap((piece) => (piece.kind === "output" ? [piece.of] : [])));
    }
    default:
      return node satisfies never;
  }
}

function first(nodes: readonly ShellNode[]): string | undefined {
  return nodes.map(findStructure).find((found) => found !== undefined);
}

/** Whether a command changes the shell itself. */
export function hasStateBuiltin(node: ShellNode): boolean {
  switch (node.kind) {
    case "list":
      return node.items.some(({ node: item }) => hasStateBuiltin(item));
    case "chain":
    case "pipe":
      return node.nodes.some(hasStateBuiltin);
    case "group":
      return hasStateBuiltin(node.body);
    case "for":
    case "if":
      return true; // they are judged only where everything only reads
    case "command":
      return changesShell(node);
    default:
      return node satisfies never;
  }
}

function changesShell({ words, assignments }: SimpleCommand): boolean {
  const [program = "", ...args] = words.map(({ value }) => value ?? "");
  if (words.length === 0) return assignments.length > 0;
  return isStateBuiltin(program) && !("paths" in readCall(program, args));
}
