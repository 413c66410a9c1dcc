/** The places of the words in a part of the page. */
export function findHits(section: Element, words: string, most: number): Range[] {
  if (!fold(section.textContent ?? "").includes(words)) return [];
  const { text, nodes } = joinTexts(section);
  const folded = fold(text);
  const hits: Range[] = [];
  for (let at = folded.indexOf(words); at >= 0 && hits.length < most; at = folded.indexOf(words, at + words.length)) {
    hits.push(toRange(nodes, at, at + words.length));
  }
  return hits;
}

/** Lower case of the same length, so that offsets stay valid. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

interface PlacedNode {
  readonly node: Text;
  readonly start: number;
}

const BLOCKS = "p, li, td, th, pre, summary, figcaption, h1, h2, h3, h4, h5, h6, .plain, .title, .tool, .why, .label";
const NOT_SEARCHED = ".line-numbers, .permalink, .number, .out-of-sight, footer, time, .took";

/** Highlighting splits a line of code into many nodes; words are found across nodes, but not across blocks. */
function joinTexts(section: Element): { readonly text: string; readonly nodes: readonly PlacedNode[] } {
  const walker = document.createTreeWalker(section, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (node instanceof Element) return node.matches(NOT_SEARCHED) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
    return NodeFilter.FILTER_ACCEPT;
  });
  const nodes: PlacedNode[] = [];
  const texts: string[] = [];
  let length = 0;
  let block: Element | null | undefined;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    const own = node.parentElement?.closest(BLOCKS);
    if (own !== block) {
      texts.push("\u0000");
      length += 1;
    }
    block = own;
    nodes.push({ node, start: length });
    texts.push(node.data);
    length += node.data.length;
  }
  return { text: texts.join(""), nodes };
}

function toRange(nodes: readonly PlacedNode[], start: number, end: number): Range {
  const [first, last] = [nodeAt(nodes, start), nodeAt(nodes, end - 1)];
  const range = document.createRange();
  if (first && last) {
    range.setStart(first.node, start - first.start);
    range.setEnd(last.node, end - last.start);
  }
  return range;
}

function nodeAt(nodes: readonly PlacedNode[], place: number): PlacedNode | undefined {
  let [low, high] = [0, nodes.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((nodes[middle]?.start ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return nodes[low];
}
