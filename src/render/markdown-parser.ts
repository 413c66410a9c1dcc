import MarkdownIt from "markdown-it";

/** CommonMark with tables and strikethrough. HTML stays text, and only web and mail addresses become links. */
export function createMarkdown(): InstanceType<typeof MarkdownIt> {
  const markdown = new MarkdownIt("default", { html: false, linkify: true });
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  markdown.validateLink = isSafeLink;
  return markdown;
}

/** Other schemes may run a program, open a local file, or load something when shown. */
function isSafeLink(address: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(address.trim());
}
