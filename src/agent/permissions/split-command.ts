/** What a command line is made of, as far as text can tell. */
export interface CommandParts {
  /** Every simple command in it: of pipes, lists, subshells and substitutions. */
  readonly commands: readonly string[];
  /** Files that redirections write. */
  readonly writes: readonly string[];
  /** Files that redirections read. */
  readonly reads: readonly string[];
  /** Something in it is beyond this reader, so that nothing may be concluded from the parts being harmless. */
  readonly isUnclear: boolean;
}

export function splitCommand(text: string): CommandParts {
  const reader = new CommandReader(text);
  reader.readList();
  const { commands, writes, reads, isUnclear } = reader;
  return { commands, writes, reads, isUnclear };
}

/** Words that only lead to a command. */
const LEADERS = /^(?:then|do|else|elif|if|while|until|time|!|\{)\s+/;
const CLOSERS = /^(?:fi|done|esac|\}|else|then|do)$/;
const SINKS = /^\/dev\/(?:null|stdout|stderr)$/;
const COMPOUND = /^(?:for|case|select|function|coproc|\[\[|\(\()(?:\s|$)/;

class CommandReader {
  readonly commands: string[] = [];
  readonly writes: string[] = [];
  readonly reads: string[] = [];
  isUnclear = false;
  #at = 0;
  #current = "";

  constructor(private readonly text: string) {}

  readList(): void {
    while (this.#at < this.text.length) this.#step();
    this.#finish();
  }

  #step(): void {
    const rest = this.text.slice(this.#at);
    const character = rest[0] ?? "";
    const redirection = this.#redirectionAt(rest);
    const separator = /^(?:&&|\|\||\|&|;;|[;|&\n()])/.exec(rest)?.[0];
    this.isUnclear ||= rest.startsWith("$((") || rest.startsWith("$'") || /^\$\{[^}]*[`$(]/.test(rest);
    if (character === "\\") this.#take(2);
    else if (character === "'") this.#takeSingleQuoted();
    else if (character === '"') this.#takeDoubleQuoted();
    else if (character === "`") this.#takeBackticks();
    else if (/^(?:\$|<|>)\(/.test(rest)) this.#takeSubstitution(2);
    else if (character === "#" && /(?:^|\s)$/.test(this.#current)) this.#skipComment();
    else if (redirection) this.#redirect(redirection);
    else if (separator) this.#separate(separator);
    else this.#take(1);
  }

  /** The digits before `>` are a file descriptor only at the beginning of a word. */
  #redirectionAt(rest: string): string | undefined {
    const found = /^(?:\d*|&)(?:>>|>\||>&|>)|^\d*<<<|^\d*<<-?|^\d*<&?/.exec(rest)?.[0];
    const isPartOfWord = found !== undefined && /^\d/.test(found) && !/(?:^|\s)$/.test(this.#current);
    return isPartOfWord ? undefined : found;
  }

  #separate(separator: string): void {
    this.#finish();
    this.#at += separator.length;
  }

  #take(count: number): void {
    this.#current += this.text.slice(this.#at, this.#at + count);
    this.#at += count;
  }

  #takeSingleQuoted(): void {
    const end = this.text.indexOf("'", this.#at + 1);
    if (end < 0) this.isUnclear = true;
    this.#take((end < 0 ? this.text.length : end + 1) - this.#at);
  }

  #takeDoubleQuoted(): void {
    this.#take(1);
    while (this.#at < this.text.length) {
      const rest = this.text.slice(this.#at);
      if (rest.startsWith("\\")) this.#take(2);
      else if (rest.startsWith("`")) this.#takeBackticks();
      else if (rest.startsWith("$(")) {
        if (rest.startsWith("$((")) this.isUnclear = true;
        this.#takeSubstitution(2);
      } else {
        this.#take(1);
        if (rest.startsWith('"')) return;
      }
    }
    this.isUnclear = true;
  }

  #takeBackticks(): void {
    const end = this.text.indexOf("`", this.#at + 1);
    if (end < 0) this.isUnclear = true;
    this.#adopt(this.text.slice(this.#at + 1, end < 0 ? undefined : end));
    this.#take((end < 0 ? this.text.length : end + 1) - this.#at);
  }

  #takeSubstitution(opening: number): void {
    const end = closingParenthesis(this.text, this.#at + opening);
    if (end === undefined) this.isUnclear = true;
    this.#adopt(this.text.slice(this.#at + opening, end));
    this.#take((end === undefined ? this.text.length : end + 1) - this.#at);
  }

  #adopt(inner: string): void {
    const parts = splitCommand(inner);
    this.commands.push(...parts.commands);
    this.writes.push(...parts.writes);
    this.reads.push(...parts.reads);
    this.isUnclear ||= parts.isUnclear;
  }

  #skipComment(): void {
    const end = this.text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.text.length : end;
  }

  #redirect(operator: string): void {
    this.#at += operator.length;
    if (/<<-?$/.test(operator)) this.isUnclear = true; // a here-document: its text may be anything
    const target = /^\s*((?:\\.|'[^']*'|"[^"]*"|[^\s;|&<>()'"\\])+)/.exec(this.text.slice(this.#at));
    if (!target?.[1]) {
      this.isUnclear = true;
      return;
    }
    this.#at += target[0].length;
    const word = target[1].replace(/^(['"])(.*)\1$/, "$2");
    if (/[$`~{\\'"*?[]/.test(word)) this.isUnclear = true;
    const isDescriptor = operator.endsWith("&") && /^(?:\d+|-)$/.test(word);
    if (operator.includes(">") && !isDescriptor && !SINKS.test(word)) this.writes.push(word);
    if (operator.endsWith("<")) this.reads.push(word);
  }

  #finish(): void {
    let command = this.#current.trim();
    this.#current = "";
    while (LEADERS.test(command)) command = command.replace(LEADERS, "");
    if (command === "" || CLOSERS.test(command)) return;
    if (COMPOUND.test(command)) this.isUnclear = true;
    this.commands.push(command);
  }
}

/** Where the parenthesis closes that was opened before `from`; quotes are looked through. */
function closingParenthesis(text: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "'") at = indexAfter(text, "'", at);
    else if (character === '"') at = indexAfter(text, '"', at);
    else if (character === "(") depth += 1;
    else if (character === ")" && --depth === 0) return at;
  }
  return undefined;
}

function indexAfter(text: string, quote: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (quote === '"' && text[end] === "\\") end += 1;
    else if (text[end] === quote) return end;
  }
  return text.length;
}
