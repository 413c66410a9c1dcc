import { quote } from "../print-command.js";
import type { SimpleCommand } from "../shell-node.js";

/** The target of a plain `cd`; undefined: it is none. */
export function changedFolder({ words, assignments }: SimpleCommand): string | undefined {
  const [name, ...rest] = words.filter(({ value }, at) => at !== 1 || value !== "--");
  const [target] = rest;
  if (name?.value !== "cd" || rest.length !== 1 || assignments.length > 0 || !target?.value) return undefined;
  const isPlain = !target.value.startsWith("-") && !target.pieces.some(({ kind }) => kind === "glob");
  return isPlain ? target.value : undefined;
}

export function isFolderChange({ words }: SimpleCommand): boolean {
  return /^(?:cd|pushd|popd|eval|source|\.|builtin|command)$/.test(words[0]?.value ?? "");
}

/** Neither CDPATH nor links before `..` lead it to another folder than the one that was judged. */
export function printChange(target: string): string {
  const path = /^(?:\/|\.{1,2}(?:\/|$))/.test(target) ? target : `./${target}`;
  return `{ cd -P -- ${quote(path)} || exit; }`;
}
