import { isGlob } from "./expand-glob.js";
import type { StartedCommand, StartedWord } from "./started-commands.js";

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
  bunx: {},
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
  uvx: {},
  xargs: { own: /^(?:-[0rtx]+|-[nPL]\d+|-I\S+|--null|--no-run-if-empty)$/, valued: /^-[nPLdI]$/ },
};
/** Sub-commands that do the same. */
const RUN_COMMANDS =
  /^(?:npm exec|pnpm (?:exec|dlx)|yarn (?:exec|dlx)|bun x|uv run|poetry run|pipenv run|bundle exec)$/;

/** Whether the program that it starts may come from a package rather than from the PATH. */
export function runsPackages({ words }: StartedCommand): boolean {
  const [name, second] = words.map(({ value }) => value ?? "");
  return /^(?:npx|bunx|uvx)$/.test(name ?? "") || RUN_COMMANDS.test(`${name} ${second}`);
}

/** The commands that one starts by its arguments; `unknown`: which it is cannot be told; undefined: it is no such program. */
export function innerCommands(command: StartedCommand): readonly StartedCommand[] | "unknown" | undefined {
  const { words } = command;
  const name = (words[0]?.value ?? "").replace(/^.*\//, "");
  if (name === "find") return executedByFind(words);
  if (RUN_COMMANDS.test(`${name} ${words[1]?.value}`)) return behind(words, 2, { own: /^(?:--|-y|--yes)$/ });
  if (!Object.hasOwn(WRAPPERS, name)) return undefined;
  const inner = behind(words, 1, WRAPPERS[name] ?? {});
  if (inner === "unknown" || name !== "xargs") return inner;
  const texts = words.flatMap(({ value = "" }, at) => {
    if (words[at - 1]?.value === "-I") return [value];
    return /^-I./.test(value) ? [value.slice(2)] : [];
  });
  return inner.map((it) => ({ ...it, words: it.words.map((word) => opened(word, texts)), more: "unseen" as const }));
}

function behind(
  words: readonly StartedWord[],
  from: number,
  { own, valued, operands = 0 }: Wrapper,
): readonly StartedCommand[] | "unknown" {
  let at = from;
  for (; at < words.length; at += 1) {
    const word = words[at]?.value ?? "";
    if (valued?.test(word)) at += 1;
    else if (!own?.test(word)) break;
  }
  at += operands;
  const isOwnLiteral = words.slice(0, at).every(({ value, pieces }) => value !== undefined && !isGlob(pieces));
  if (!isOwnLiteral || words[at]?.value?.startsWith("-")) return "unknown";
  const assignments = words.slice(1, at).flatMap(({ value = "" }) => (/^\w+=/.test(value) ? [value] : []));
  return [{ words: words.slice(at), assignments }];
}

/** A word with one of these texts in it is known only when it runs. */
function opened(word: StartedWord, texts: readonly string[]): StartedWord {
  const isOpen = texts.some((text) => word.value?.includes(text));
  return isOpen ? { value: undefined, pieces: [], isCertain: false } : word;
}

function executedByFind(words: readonly StartedWord[]): readonly StartedCommand[] | "unknown" | undefined {
  const found: StartedCommand[] = [];
  const more = startsPlain(words) ? ("below" as const) : ("found" as const);
  for (const [at, { value, pieces }] of words.entries()) {
    if (value === undefined || (isGlob(pieces) && value.startsWith("-"))) return "unknown";
    if (!isExecuting(value)) continue;
    const end = endOfExecuted(words, at);
    const given = words.slice(at + 1, end < 0 ? undefined : end);
    found.push({
      words: given.map((word) => (word.value === "{}" ? word : opened(word, ["{}"]))),
      assignments: [],
      more,
    });
  }
  return found.length === 0 ? undefined : found;
}

/** Whether everything that `find` finds has a name that cannot be an option or an assignment. */
function startsPlain(words: readonly StartedWord[]): boolean {
  const end = words.findIndex(({ value }, at) => at > 0 && /^(?:-(?!P$)|[!(),])/.test(value ?? ""));
  const starts = words.slice(1, end < 0 ? undefined : end).filter(({ value }) => value !== "-P");
  return (
    starts.every(({ value, pieces }) => /^[./]/.test(value ?? "") && pieces[0]?.kind === "text") &&
    !words.some(({ value }) => value === undefined || value.startsWith("-files0"))
  );
}

function isExecuting(word: string | undefined): boolean {
  return /^-(?:exec|ok)(?:dir)?$/.test(word ?? "");
}

function endOfExecuted(words: readonly StartedWord[], from: number): number {
  return words.findIndex(
    ({ value }, index) => index > from && (value === ";" || (value === "+" && words[index - 1]?.value === "{}")),
  );
}

/** The words of `find` without the commands that it starts. */
export function withoutExecuted(words: readonly StartedWord[]): readonly StartedWord[] {
  const at = words.findIndex(({ value }) => isExecuting(value));
  if (at < 0) return words;
  const end = endOfExecuted(words, at);
  return [...words.slice(0, at), ...(end < 0 ? [] : withoutExecuted(words.slice(end + 1)))];
}
