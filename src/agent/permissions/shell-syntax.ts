/** The parts of a shell command line. */
export interface CommandParts {
  /** Every simple command, also in pipes, lists, subshells and substitutions. */
  readonly commands: readonly string[];
  /** Files written by redirections. */
  readonly writes: readonly string[];
  /** Files read by redirections. */
  readonly reads: readonly string[];
  /** Here-documents without expansion: input for some command. */
  readonly inputs: readonly string[];
  /** The line contains syntax that this reader does not handle, so harmless parts prove nothing. */
  readonly isUnclear: boolean;
}

export function splitCommand(text: string): CommandParts {
  const reader = new CommandReader(text);
  reader.readList();
  const { commands, writes, reads, inputs, isUnclear } = reader;
  return { commands, writes, reads, inputs, isUnclear };
}

/** Keywords before a command. */
const LEADERS = /^(?:then|do|else|elif|if|while|until|time(?:[ \t]+-p)?(?:[ \t]+--)?|!|\{)[ \t]+/;
const CLOSERS = /^(?:fi|done|esac|\}|else|then|do)$/;
const SINKS = /^\/dev\/(?:null|stdout|stderr)$/;
const COMPOUND = /^(?:for|case|select|function|coproc|\[\[)(?:\s|$)/;
/** Bash splits words only at these; other white space is part of a word. */
const BLANK = /^[ \t]/;
const MAX_DEPTH = 30;

class CommandReader {
  readonly commands: string[] = [];
  readonly writes: string[] = [];
  readonly reads: string[] = [];
  readonly inputs: string[] = [];
  isUnclear = false;
  #current = "";
  #isWordStart = true;
  #openParentheses = 0;
  #hasClosed = false;
  /** Delimiters of here-documents that start after this line. */
  readonly #delimiters: string[] = [];

  /** Reads from an offset; a nested reader ends at its closing parenthesis. */
  constructor(
    private readonly text: string,
    private at = 0,
    private readonly depth = 0,
  ) {}

  readList(): void {
    while (this.at < this.text.length && !this.#hasClosed) this.#step();
    this.isUnclear ||= this.#delimiters.length > 0;
    this.#finish();
  }

  #step(): void {
    const rest = this.text.slice(this.at);
    const character = rest[0] ?? "";
    const redirection = this.#redirectionAt(rest);
    const separator = /^(?:&&|\|\||\|&|;;|[;|&\n()])/.exec(rest)?.[0];
    this.isUnclear ||= rest.startsWith("$'") || rest.startsWith("((") || isDeepExpansion(rest);
    if (BLANK.test(rest)) this.#takeBlank();
    else if (rest.startsWith("\\\n")) this.#joinLines(rest);
    else if (character === "\\") this.#take(2);
    else if (character === "'") this.#takeSingleQuoted();
    else if (character === '"') this.#takeDoubleQuoted();
    else if (character === "`") this.#takeBackticks();
    else if (/^(?:\$|<|>)\(/.test(rest)) this.#takeSubstitution();
    else if (character === "#" && this.#isWordStart) this.#skipComment();
    else if (redirection) this.#redirect(redirection);
    else if (separator) this.#separate(separator);
    else this.#take(1);
  }

  /** Digits before `>` are a file descriptor only at the start of a word. */
  #redirectionAt(rest: string): string | undefined {
    const digits = this.#isWordStart ? (/^\d+/.exec(rest)?.[0] ?? "") : "";
    const operator = /^(?:&?(?:>>|>\||>&|>)|<<<|<<-?|<&?)/.exec(rest.slice(digits.length))?.[0];
    const isNone = operator === undefined || (digits !== "" && operator.startsWith("&"));
    return isNone ? undefined : digits + operator;
  }

  #separate(separator: string): void {
    this.at += separator.length;
    if (separator === "(") this.#openParentheses += 1;
    if (separator === ")") {
      this.#hasClosed = this.depth > 0 && this.#openParentheses === 0;
      this.#openParentheses -= 1;
    }
    this.#finish();
    if (separator === "\n") this.#takeInputs();
  }

  #take(count: number): void {
    const taken = this.text.slice(this.at, this.at + count);
    // Shells disagree on where a here-document starts after a multi-line word.
    if (this.#delimiters.length > 0 && taken.includes("\n")) this.isUnclear = true;
    this.#current += taken;
    this.at += count;
    this.#isWordStart = false;
  }

  #takeBlank(): void {
    this.#take(1);
    this.#isWordStart = true;
  }

  /** A line continuation. Inside a word or a possible operator it is marked unclear. */
  #joinLines(rest: string): void {
    const isBetweenWords = this.#isWordStart || BLANK.test(rest.slice(2));
    if (!isBetweenWords || this.#delimiters.length > 0) this.isUnclear = true;
    this.#current += " ";
    this.at += 2;
  }

  #takeSingleQuoted(): void {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) this.isUnclear = true;
    this.#take((end < 0 ? this.text.length : end + 1) - this.at);
  }

  #takeDoubleQuoted(): void {
    this.#take(1);
    while (this.at < this.text.length) {
      const rest = this.text.slice(this.at);
      this.isUnclear ||= rest.startsWith("\\\n") || isDeepExpansion(rest);
      if (rest.startsWith("\\")) this.#take(2);
      else if (rest.startsWith("`")) this.#takeBackticks();
      else if (rest.startsWith("$(")) this.#takeSubstitution();
      else {
        this.#take(1);
        if (rest.startsWith('"')) return;
      }
    }
    this.isUnclear = true;
  }

  /** The shell removes backslashes inside backticks before it reads the command. */
  #takeBackticks(): void {
    const end = this.text.indexOf("`", this.at + 1);
    const inner = this.text.slice(this.at + 1, end < 0 ? undefined : end);
    if (end < 0 || inner.includes("\\")) this.isUnclear = true;
    this.#adopt(new CommandReader(inner, 0, this.depth + 1));
    this.#take((end < 0 ? this.text.length : end + 1) - this.at);
  }

  #takeSubstitution(): void {
    const inner = new CommandReader(this.text, this.at + 2, this.depth + 1);
    this.#adopt(inner);
    if (!inner.#hasClosed) this.isUnclear = true;
    this.#take((inner.#hasClosed ? inner.at : this.text.length) - this.at);
  }

  #adopt(inner: CommandReader): void {
    if (inner.depth > MAX_DEPTH) {
      this.isUnclear = true;
      return;
    }
    inner.readList();
    this.commands.push(...inner.commands);
    this.writes.push(...inner.writes);
    this.reads.push(...inner.reads);
    this.inputs.push(...inner.inputs);
    this.isUnclear ||= inner.isUnclear;
  }

  #skipComment(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  #redirect(operator: string): void {
    this.at += operator.length;
    this.#isWordStart = false;
    if (/<<-?$/.test(operator)) this.#expectInput(operator);
    else this.#takeTarget(operator);
  }

  #takeTarget(operator: string): void {
    const target = /^[ \t]*((?:\\.|'[^']*'|"[^"]*"|[^ \t\n;|&<>()'"\\])+)/.exec(this.text.slice(this.at));
    if (!target?.[1]) {
      this.isUnclear = true;
      return;
    }
    this.at += target[0].length;
    const word = target[1].replace(/^(['"])(.*)\1$/, "$2");
    if (/[$`~{\\'"*?[]/.test(word)) this.isUnclear = true;
    const isDescriptor = operator.endsWith("&") && /^(?:\d+|-)$/.test(word);
    if (operator.includes(">") && !isDescriptor && !SINKS.test(word)) this.writes.push(word);
    if (operator.endsWith("<")) this.reads.push(word);
  }

  /** Only a here-document with a quoted delimiter is plain text. */
  #expectInput(operator: string): void {
    const found = /^[ \t]*(?:'(\w+)'|"(\w+)"|\\(\w+))(?=[ \t\n;|&)>]|$)/.exec(this.text.slice(this.at));
    const delimiter = found?.[1] ?? found?.[2] ?? found?.[3];
    if (!found || delimiter === undefined || operator !== "<<") {
      this.isUnclear = true;
      return;
    }
    this.at += found[0].length;
    this.#delimiters.push(delimiter);
  }

  #takeInputs(): void {
    for (const delimiter of this.#delimiters.splice(0)) {
      const rest = this.text.slice(this.at);
      const end = rest.startsWith(delimiter) ? 0 : rest.indexOf(`\n${delimiter}`) + 1;
      const after = end + delimiter.length;
      const isFound = rest.startsWith(delimiter, end) && /^(?:\n|$)/.test(rest.slice(after, after + 1));
      if (!isFound) this.isUnclear = true;
      this.inputs.push(rest.slice(0, isFound ? end : undefined));
      this.at += isFound ? after + 1 : rest.length;
    }
  }

  #finish(): void {
    let command = this.#current.replace(/^[ \t]+|[ \t]+$/g, "");
    this.#current = "";
    this.#isWordStart = true;
    while (LEADERS.test(command)) command = command.replace(LEADERS, "");
    if (command === "" || CLOSERS.test(command)) return;
    if (COMPOUND.test(command)) this.isUnclear = true;
    this.commands.push(command);
  }
}

/** Arithmetic, and parameter expansions with more than plain text in their braces: quotes have another meaning in both. */
function isDeepExpansion(rest: string): boolean {
  if (!rest.startsWith("$")) return false;
  return (
    rest.startsWith("$((") || rest.startsWith("$[") || (rest[1] === "{" && !/^\$\{[^}'"`$\\({]{0,200}\}/.test(rest))
  );
}

/** One word of a simple command after quote removal. */
export interface ShellWord {
  readonly text: string;
  /** A glob: `*`, `?` or `[` outside of quotes. */
  readonly isPattern: boolean;
  /** Its value is not known from the text: variables, substitutions, braces, `~`. */
  readonly isOpen: boolean;
}

export function shellWords(command: string): readonly ShellWord[] {
  const reader = new WordReader();
  for (let at = 0; at < command.length; ) at += reader.take(command.slice(at));
  return reader.end();
}

class WordReader {
  readonly #words: ShellWord[] = [];
  #text: string | undefined;
  #isPattern = false;
  #isOpen = false;

  /** Returns the number of characters consumed. */
  take(rest: string): number {
    const [character = ""] = rest;
    if (/[ \t\n]/.test(character))
      this.#finish(); // no other white space separates words
    else if (character === "\\") return this.#takeEscape(rest);
    else if (character === "'") return this.#takeQuoted(rest, /^'([^']*)(?:'|$)/);
    else if (character === '"') return this.#takeQuoted(rest, /^"((?:\\[\s\S]|[^"\\])*)(?:"|$)/);
    else {
      this.#isOpen ||= /[$`{]/.test(character) || (character === "~" && /^$|[=:]$/.test(this.#text ?? ""));
      this.#isPattern ||= /[*?[]/.test(character);
      this.#add(character);
    }
    return character.length;
  }

  end(): readonly ShellWord[] {
    this.#finish();
    return this.#words;
  }

  #takeEscape(rest: string): number {
    this.#add(rest[1] === "\n" ? "" : (rest[1] ?? ""));
    return 2;
  }

  #takeQuoted(rest: string, pattern: RegExp): number {
    const [whole = rest, inner = ""] = pattern.exec(rest) ?? [];
    const isDouble = rest.startsWith('"');
    this.#isOpen ||= isDouble && /[$`]/.test(inner.replace(/\\[\s\S]/g, ""));
    this.#add(isDouble ? inner.replaceAll(/\\([$`"\\\n])/g, (_, escaped: string) => escaped.trim()) : inner);
    return Math.max(whole.length, 1);
  }

  #add(text: string): void {
    this.#text = (this.#text ?? "") + text;
  }

  #finish(): void {
    if (this.#text !== undefined)
      this.#words.push({ text: this.#text, isPattern: this.#isPattern, isOpen: this.#isOpen });
    this.#text = undefined;
    this.#isPattern = false;
    this.#isOpen = false;
  }
}
