import { isGlob } from "./expand-glob.js";
import type { StartedCommand } from "./started-commands.js";
import { programOf } from "./started-programs.js";

/** How a program is called that starts the command behind its own arguments. */
interface Wrapper {
  /** Words of its own. */
  readonly own?: RegExp;
  /** Words of its own with a value in the next word. */
  readonly valued?: RegExp;
  /** How many operands it has in front of the command. */
  readonly operands?: number;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: {},
  command: {},
  doas: { valued: /^-u$/ },
  env: { own: /^(?:-i|--ignore-environment|\w+=[\s\S]*)$/, valued: /^-u$/ },
  exec: {},
  ionice: { own: /^-[cn]\d$/, valued: /^-[cn]$/ },
  nice: { own: /^(?:-\d+|-n-?\d+)$/, valued: /^-n$/ },
  nohup: {},
  npx: { own: /^(?:-y|--yes|--no-install)$/ },
  setsid: { own: /^-w$/ },
  stdbuf: { own: /^-[ioe][L0]$/ },
  sudo: { own: /^-[EHkn]+$/, valued: /^-[ug]$/ },
  time: { own: /^-p$/ },
  timeout: {
    own: /^(?:--preserve-status|--foreground|-v|-[ks][\w.]+|--(?:signal|kill-after)=\w+)$/,
    valued: /^-[ks]$/,
    operands: 1,
  },
  xargs: { own: /^(?:-[0rtx]+|-[nPL]\d+|-I\S+|--null|--no-run-if-empty)$/, valued: /^-[nPLdI]$/ },
};

/** The commands that one starts by its arguments; `unknown`: which it is cannot be told; undefined: it is no such program. */
export function innerCommands(command: StartedCommand): readonly StartedCommand[] | "unknown" | undefined {
  const name = programOf(command.words[0] ?? "");
  if (name === "find") return executedByFind(command);
  if (!Object.hasOwn(WRAPPERS, name)) return undefined;
  const { own, valued, operands = 0 } = WRAPPERS[name] ?? {};
  let at = 1;
  for (; at < command.words.length; at += 1) {
    const word = command.words[at] ?? "";
    if (valued?.test(word)) at += 1;
    else if (!own?.test(word)) break;
  }
  at += operands;
  const isOwnLiteral = command.words
    .slice(0, at)
    .every((word, index) => word !== undefined && !isGlob(command.pieces[index] ?? []));
  if (!isOwnLiteral || command.words[at]?.startsWith("-")) return "unknown";
  const assignments = command.words.slice(1, at).filter((word) => word !== undefined && /^\w+=/.test(word));
  return [{ ...slice(command, at), assignments: assignments.flatMap((word) => word ?? []) }];
}

function executedByFind(command: StartedCommand): readonly StartedCommand[] | "unknown" | undefined {
  const found: StartedCommand[] = [];
  for (const [at, word] of command.words.entries()) {
    if (word === undefined) return "unknown";
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word)) continue;
    const end = command.words.findIndex((other, index) => index > at && (other === ";" || other === "+"));
    found.push(slice(command, at + 1, end < 0 ? undefined : end));
  }
  return found.length === 0 ? undefined : found;
}

function slice({ words, pieces }: StartedCommand, from: number, to?: number): StartedCommand {
  return { words: words.slice(from, to), pieces: pieces.slice(from, to), assignments: [] };
}
