/** A page as Markdown, for a model to read: words, headings, links, lists and code; no layout, no scripts. */
export function htmlToMarkdown(html: string): string {
  const body = html
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<(script|style|noscript|template|svg|head|iframe)\b[\s\S]*?<\/\1\s*>/gi, "");
  const { kept, text } = setCodeAside(body);
  const marked = RULES.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
  const plain = decodeEntities(marked.replace(/<[^>]*>/g, ""))
    .replace(/[ \t\u00a0]+/g, " ")
    .replace(/ *\n */g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return plain.replace(/\u0000(\d+)\u0000/g, (_, index: string) => kept[Number(index)] ?? "");
}

const RULES: readonly (readonly [RegExp, string])[] = [
  [/[\r\n]+/g, " "],
  [/<h1\b[^>]*>/gi, "\n\n# "],
  [/<h2\b[^>]*>/gi, "\n\n## "],
  [/<h3\b[^>]*>/gi, "\n\n### "],
  [/<h[4-6]\b[^>]*>/gi, "\n\n#### "],
  [/<li\b[^>]*>/gi, "\n- "],
  [/<(?:b|strong)\b[^>]*>([\s\S]*?)<\/(?:b|strong)>/gi, "**$1**"],
  [/<(?:i|em)\b[^>]*>([\s\S]*?)<\/(?:i|em)>/gi, "*$1*"],
  [/<a\b[^>]*?\bhref\s*=\s*["']?([^"'\s>]+)["']?[^>]*>([\s\S]*?)<\/a>/gi, "[$2]($1)"],
  [/<img\b[^>]*?\balt\s*=\s*["']([^"']*)["'][^>]*>/gi, "![$1]"],
  [/<\/t[dh]>\s*<t[dh]\b[^>]*>/gi, " | "],
  [/<br\b[^>]*>/gi, "\n"],
  [/<hr\b[^>]*>/gi, "\n\n---\n\n"],
  [
    /<\/?(?:p|div|section|article|header|footer|main|aside|nav|ul|ol|table|tr|blockquote|h[1-6]|dl|dd|dt|form|figure)\b[^>]*>/gi,
    "\n\n",
  ],
];

/** Code keeps its spaces and its angle brackets. */
function setCodeAside(html: string): { text: string; kept: readonly string[] } {
  const kept: string[] = [];
  const keep = (text: string) => `\u0000${kept.push(text) - 1}\u0000`;
  const plain = (code: string) => decodeEntities(code.replace(/<[^>]*>/g, ""));
  const text = html
    .replaceAll("\u0000", "")
    .replace(
      /<pre\b[^>]*>([\s\S]*?)<\/pre>/gi,
      (_, code: string) => `\n\n${keep(`\`\`\`\n${plain(code).trim()}\n\`\`\``)}\n\n`,
    )
    .replace(/<code\b[^>]*>([\s\S]*?)<\/code>/gi, (_, code: string) => keep(`\`${plain(code)}\``));
  return { text, kept };
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
};

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
    },
  );
}
