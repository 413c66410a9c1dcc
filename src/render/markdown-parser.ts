import MarkdownIt from "markdown-it";

/** CommonMark with tables and strikethrough. HTML stays text, and only links that are safe to follow are links. */
export function createMarkdown(): InstanceType<typeof MarkdownIt> {
  const markdown = new MarkdownIt("default", { html: false, linkify: true });
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  markdown.validateLink = isSafeLink;
  return markdown;
}

/** Anything else may run a program, open a local file, or fetch something when it is shown. */
function isSafeLink(address: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(address.trim());
}
