import type { LanguageFn } from "highlight.js";
import type { HighlightedLine } from "./highlighted-line.js";
import { LineEmitter } from "./line-emitter.js";

/** Source code as lines of spans; null where the language is not known, or the text too long to be worth the time. */
export type Highlight = (text: string, language: string | null) => readonly HighlightedLine[] | null;

const LONGEST_TEXT = 60_000; // characters

/** The highlighter and its languages take longer to load than most commands take to run. */
export async function loadHighlighter(): Promise<Highlight> {
  const [{ default: core }, { LANGUAGES }] = await Promise.all([
    import("highlight.js/lib/core"),
    import("./languages.js"),
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
