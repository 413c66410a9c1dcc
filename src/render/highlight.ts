import type { Emitter, LanguageFn } from "highlight.js";

/** Source code as lines of spans; null if the language is unknown or the text is too long. */
export type Highlight = (text: string, language: string | null) => readonly HighlightedLine[] | null;

const MAX_TEXT_CHARACTERS = 60_000;

/** Loaded lazily: the highlighter and its languages take longer to load than most commands take to run. */
export async function loadHighlighter(): Promise<Highlight> {
  const [{ default: core }, { LANGUAGES }] = await Promise.all([
    import("highlight.js/lib/core"),
    import("./highlight-languages.js"),
  ]);
  const highlighter = core.newInstance();
  highlighter.configure({ __emitter: LineEmitter });
  for (const [name, grammar] of Object.entries<LanguageFn>(LANGUAGES)) highlighter.registerLanguage(name, grammar);
  for (const [languageName, aliases] of Object.entries(ALIASES)) highlighter.registerAliases(aliases, { languageName });
  return (text, language) => {
    if (language === null || text.length > MAX_TEXT_CHARACTERS || !highlighter.getLanguage(language)) return null;
    const { _emitter: found } = highlighter.highlight(text, { language, ignoreIllegals: true });
    return found instanceof LineEmitter && found.length === text.length ? found.lines : null;
  };
}

/** Languages highlighted with the grammar of a similar one. */
const ALIASES: Readonly<Record<string, string[]>> = {
  bash: ["fish"],
  ini: ["terraform"],
  json: ["jsonl"],
  markdown: ["mdx"],
  objectivec: ["objective-c"],
  scss: ["sass"],
  xml: ["vue", "svelte", "astro"],
};

/** Collects highlight.js tokens as lines. The default emitter, a tree that becomes HTML, takes 1.5 times as long. */
class LineEmitter implements Emitter {
  readonly lines: HighlightedSpan[][] = [[]];
  length = 0; // characters, including line breaks
  readonly #scopes: string[] = [];

  addText(text: string): void {
    this.#add(text, this.#scopes.at(-1) ?? null);
  }

  startScope(scope: string): void {
    this.#scopes.push(scope);
  }

  endScope(): void {
    this.#scopes.pop();
  }

  // highlight.js uses both names for scopes.
  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(inner: LineEmitter): void {
    for (const [index, line] of inner.lines.entries()) {
      if (index > 0) this.#add("\n", null);
      for (const { text, scope } of line) this.#add(text, scope);
    }
  }

  finalize(): void {
    this.#scopes.length = 0;
  }

  toHTML(): string {
    return "";
  }

  #add(text: string, scope: string | null): void {
    this.length += text.length;
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#addToLine(text.slice(start, end), scope);
      this.lines.push([]);
      start = end + 1;
    }
    this.#addToLine(start === 0 ? text : text.slice(start), scope);
  }

  #addToLine(text: string, scope: string | null): void {
    if (text === "") return;
    const line = this.lines.at(-1);
    const last = line?.at(-1);
    if (line && last?.scope === scope) line[line.length - 1] = { text: last.text + text, scope };
    else line?.push({ text, scope });
  }
}

export interface HighlightedSpan {
  readonly text: string;
  /** Scope name of highlight.js, such as `keyword` or `title.function`; null for plain text. */
  readonly scope: string | null;
}

export type HighlightedLine = readonly HighlightedSpan[];
