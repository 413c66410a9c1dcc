import type { Token } from "markdown-it";

export interface MarkdownNode {
  readonly token: Token;
  readonly children: readonly MarkdownNode[];
}

/** markdown-it gives a flat list of what opens and closes. */
export function toMarkdownTree(tokens: readonly Token[]): readonly MarkdownNode[] {
  const root: MarkdownNode[] = [];
  const open = [root];
  for (const token of tokens) {
    if (token.nesting < 0) {
      if (open.length > 1) open.pop();
      continue;
    }
    const children: MarkdownNode[] = [];
    open.at(-1)?.push({ token, children });
    if (token.nesting > 0) open.push(children);
  }
  return root;
}
