import { isOfKind, type Kind } from "./argument-kinds.js";
import type { Options, Reader } from "./readers.js";

/** What a call of a reading program opens, or why it is not known to only read. */
export type ReadCall = Opened | { readonly problem: string };

export interface Opened {
  readonly paths: readonly string[];
  /** It shows the contents of all files below these paths. */
  readonly searchesFolders: boolean;
  /** It follows links in folders, unless it gets the option `keepsLinks`. */
  readonly takesNoFolders: boolean;
  /** Letters and long names of its options; not of expressions. */
  readonly options?: ReadonlySet<string>;
  readonly keepsLinks?: string | undefined;
  /** What runs in its place follows no links, so there must be none. */
  readonly meetsNoLinks?: boolean;
  /** What it gets in place of its arguments. */
  readonly args?: readonly string[] | undefined;
  /** Programs that it starts. */
  readonly starts?: readonly string[];
  /** How a line is printed that runs it in place of the plain command. `roots`: the folders that it may read. */
  readonly print?: ((roots: readonly string[]) => string) | undefined;
  /** It runs only if it comes with the system, or a toolchain of the person. */
  readonly needsSystem?: boolean;
}

export const READS_NOTHING: Opened = { paths: [], searchesFolders: false, takesNoFolders: false };

/** Judges the arguments of a program by its entry in the table: every option by its exact name, every value by its kind. */
export function readArguments(args: readonly string[], reader: Reader): ReadCall {
  const call = new ArgumentReader(args, reader);
  return call.read();
}

class ArgumentReader {
  readonly #operands: string[] = [];
  readonly #paths: string[] = [];
  readonly #options = new Set<string>();
  /** With options replaced. */
  readonly #words: string[];
  #problem: string | undefined;
  #at = 0;

  constructor(
    private readonly args: readonly string[],
    private readonly reader: Reader,
  ) {
    this.#words = [...args];
  }

  read(): ReadCall {
    const { reader, args } = this;
    if (reader.mustStart !== undefined) {
      if (args[0] !== reader.mustStart) return { problem: `only \`${reader.mustStart}\` is known to read` };
      this.#at = 1;
    }
    while (this.#at < args.length && this.#problem === undefined) this.#step();
    this.#checkOperands();
    if (this.#problem !== undefined) return { problem: this.#problem };
    const searches = reader.searchesFolders ?? "";
    const isReplaced = this.#words.some((word, at) => word !== args[at]);
    return {
      paths: this.#paths,
      searchesFolders: searches === "always" || searches.split(" ").some((name) => this.#options.has(name)),
      takesNoFolders: reader.takesNoFolders ?? false,
      options: this.#options,
      keepsLinks: reader.keepsLinks,
      ...(isReplaced ? { args: this.#words, meetsNoLinks: true } : {}),
    };
  }

  #step(): void {
    const { reader, args } = this;
    const word = args[this.#at] ?? "";
    this.#at += 1;
    if (reader.hasNoOptions || word === "-" || !word.startsWith("-")) {
      this.#operands.push(word);
      return;
    }
    // Where options end at the first operand (macOS, POSIXLY_CORRECT), this word and what follows are files.
    const isLate = this.#operands.length > 0 && reader.operands === "path";
    const apart = word.length === 2 ? kindOf(word.slice(1), reader.apart) : undefined;
    const isOdd = reader.hasSingleOptions && (isLate || word === "--" || /^-[^-]./.test(word));
    if (isOdd || (isLate && reader.hasOptionsFirst)) this.#refuse(word);
    if (isLate) this.#paths.push(...args.slice(this.#at - 1));
    if (word === "--") {
      this.#operands.push(...args.slice(this.#at));
      this.#at = args.length;
    } else if (apart !== undefined) this.#takeValue(apart, word, undefined);
    else if (word.startsWith("--")) this.#takeLong(word);
    else if (!(reader.takesDigits && /^-\d+$/.test(word))) this.#takeLetters(word.slice(1));
  }

  #takeLong(word: string): void {
    const { long = "", values, glued, linkless = {} } = this.reader;
    const [, name = "", value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    this.#options.add(name);
    if (name.length > 1 && value === undefined) this.#words[this.#at - 1] = `--${linkless[name] ?? name}`;
    const kind = name.length > 1 ? kindOf(name, values) : undefined;
    const gluedKind = name.length > 1 ? kindOf(name, glued) : undefined;
    if (kind !== undefined) this.#takeValue(kind, word, value);
    else if (gluedKind !== undefined && value !== undefined) this.#takeValue(gluedKind, word, value);
    else if (value !== undefined || name.length < 2 || !long.split(" ").includes(name)) this.#refuse(word);
  }

  #takeLetters(letters: string): void {
    const { flags = "", values, glued, linkless = {} } = this.reader;
    const place = this.#at - 1;
    const all = Array.from(letters);
    for (const [at, letter] of all.entries()) {
      const rest = all.slice(at + 1).join("");
      this.#options.add(letter);
      all[at] = linkless[letter] ?? letter;
      this.#words[place] = `-${all.join("")}`;
      const kind = kindOf(letter, values);
      const gluedKind = kindOf(letter, glued);
      if (kind !== undefined) this.#takeValue(kind, `-${letter}`, rest === "" ? undefined : rest);
      else if (gluedKind !== undefined) this.#takeValue(gluedKind, `-${letter}`, rest === "" ? "0" : rest);
      else if (!flags.includes(letter)) this.#refuse(`-${letter}`);
      if (kind !== undefined || gluedKind !== undefined || this.#problem !== undefined) return;
    }
  }

  #takeValue(kind: Kind, option: string, given: string | undefined): void {
    const value = given ?? this.args[this.#at];
    if (given === undefined) this.#at += 1;
    if (value === undefined) this.#problem = `\`${option}\` has no value`;
    else this.#check(value, kind);
  }

  #refuse(option: string): void {
    this.#problem = `its option \`${option}\` is not known to only read`;
  }

  #checkOperands(): void {
    const { first, noFirst = "", operands, operandsNeed, maxOperands = Number.POSITIVE_INFINITY } = this.reader;
    const hasFirst = first !== undefined && !noFirst.split(" ").some((name) => this.#options.has(name));
    const [head, ...tail] = this.#operands;
    if (hasFirst && head !== undefined) this.#check(head, first);
    const rest = hasFirst ? tail : this.#operands;
    if (this.reader.readsAtFiles && this.args.some((word) => word.startsWith("@")))
      this.#problem ??= "it takes options from a file";
    if (this.reader.needsFiles && (rest.length === 0 || rest.includes("-")))
      this.#problem ??= "it copies its input to a file";
    const isListed = operandsNeed?.split(" ").some((name) => this.#options.has(name)) ?? true;
    if (!isListed && rest.length > 0) this.#problem ??= "it has more arguments than expected";
    if (rest.length > (operands === undefined ? 0 : maxOperands))
      this.#problem ??= "it has more arguments than expected";
    for (const operand of rest) if (operands !== undefined) this.#check(operand, operands);
  }

  #check(value: string, kind: Kind): void {
    if (kind === "path") {
      this.#paths.push(value); // `-` too: not every program takes it for its input
    } else if (!isOfKind(value, kind)) this.#problem ??= `\`${value}\` is not a plain ${kind}`;
  }
}

function kindOf(name: string, options: Options = {}): Kind | undefined {
  const found = Object.entries(options).find(([, names]) => names.split(" ").includes(name));
  return found?.[0] as Kind | undefined;
}
