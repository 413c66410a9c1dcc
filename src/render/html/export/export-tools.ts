import { type Highlight, loadHighlighter } from "../../highlight.js";
import { createMarkdownHtml } from "../components/markdown-html.js";
import type { PageTools } from "../components/page-tools.js";

const PAGE_CHARACTERS = 4_000_000;
const BLOCK_CHARACTERS = 2_000; // more than a box shows without scrolling

/**
 * Page tools for an exported file. Highlighting takes most of the export's time, so it is limited: code in answers is
 * highlighted whole, tool input and output only at the beginning, and nothing after PAGE_CHARACTERS.
 */
export async function loadExportTools(project: string | null): Promise<PageTools> {
  const highlight = limitAll(await loadHighlighter(), PAGE_CHARACTERS);
  return { highlight: limitEach(highlight, BLOCK_CHARACTERS), markdown: createMarkdownHtml(highlight), project };
}

function limitAll(highlight: Highlight, characters: number): Highlight {
  let left = characters;
  return (text, language) => {
    if (language === null || left < text.length) return null;
    left -= text.length;
    return highlight(text, language);
  };
}

/** Highlights the whole lines that fit into the limit. */
function limitEach(highlight: Highlight, characters: number): Highlight {
  return (text, language) => {
    if (text.length <= characters) return highlight(text, language);
    const end = text.lastIndexOf("\n", characters);
    const coloured = end < 0 ? null : highlight(text.slice(0, end), language);
    const plain = text.slice(end + 1).split("\n");
    return coloured && [...coloured, ...plain.map((line) => [{ text: line, scope: null }])];
  };
}
