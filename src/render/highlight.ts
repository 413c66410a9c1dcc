import type { Emitter, LanguageFn } from "highlight.js";

/** Source code as lines of spans; null where the language is not known, or the text too long to be worth the time. */
export type Highlight = (text: string, language: string | null) => readonly HighlightedLine[] | null;

const LONGEST_TEXT = 60_000; // characters

/** The highlighter and its languages take longer to load than most commands take to run. */
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
    if (language === null || text.length > LONGEST_TEXT || !highlighter.getLanguage(language)) return null;
    const { _emitter: found } = highlighter.highlight(text, { language, ignoreIllegals: true });
    return found instanceof LineEmitter && found.length === text.length ? found.lines : null;
  };
}

/** Languages that look enough like another one. */
const ALIASES: Readonly<Record<string, string[]>> = {
  bash: ["fish"],
  ini: ["terraform"],
  json: ["jsonl"],
  markdown: ["mdx"],
  objectivec: ["objective-c"],
  scss: ["sass"],
  xml: ["vue", "svelte", "astro"],
};

/** Takes what highlight.js finds as lines at once: by its own way, a tree and its HTML, colours take half as long again. */
class LineEmitter implements Emitter {
  readonly lines: HighlightedSpan[][] = [[]];
  length = 0; // characters, breaks of lines included
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

  // highlight.js calls scopes by both names.
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
  /** What highlight.js calls it, such as `keyword` or `title.function`; null for plain text. */
  readonly scope: string | null;
}

export type HighlightedLine = readonly HighlightedSpan[];
