import type { UserRecord } from "./record.js";

/** The line with which the own work of a forked sub-agent begins (2.1.200 and later). */
export interface ForkStart {
  /** The call that made the fork; the line before repeats it. */
  readonly toolUseId: string;
  readonly directive: string;
}

const STARTED = "Fork started";
const BOILERPLATE = "<fork-boilerplate>";
const BOILERPLATE_END = "</fork-boilerplate>";
const DIRECTIVE = /^\s*Your directive:[^\S\n]*/;

/** A result for the call that made it, and a text: what Claude Code tells every fork, then the directive. */
export function toForkStart({ isSidechain, blocks }: UserRecord): ForkStart | undefined {
  if (!isSidechain) return undefined;
  const result = blocks.find((block) => block.kind === "toolResult");
  if (result?.kind !== "toolResult") return undefined;
  const texts = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []));
  const isFork = result.text.startsWith(STARTED) || texts.some((text) => text.startsWith(BOILERPLATE));
  return isFork ? { toolUseId: result.toolUseId, directive: texts.map(toDirective).join("\n") } : undefined;
}

function toDirective(text: string): string {
  const end = text.startsWith(BOILERPLATE) ? text.indexOf(BOILERPLATE_END) : -1;
  return (end < 0 ? text : text.slice(end + BOILERPLATE_END.length)).replace(DIRECTIVE, "").trim();
}
