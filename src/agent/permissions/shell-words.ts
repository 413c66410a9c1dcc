/** A word of a simple command, as the shell would hand it on. */
export interface ShellWord {
  readonly text: string;
  /** The shell looks for files that fit: `*`, `?` and `[` outside of quotes. */
  readonly isPattern: boolean;
  /** The shell makes something of it that nobody can tell from the text: variables, substitutions, braces, `~`. */
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

  /** Gives how many characters it took. */
  take(rest: string): number {
    const [character = ""] = rest;
    if (/[ \t\n]/.test(character))
      this.#finish(); // no other white space parts words
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
