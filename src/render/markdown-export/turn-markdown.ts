import type { FollowUp, Local, Turn } from "../../session/build-turn.js";
import type { Compaction } from "../../session/compactions.js";
import type { Notice } from "../../session/list-notices.js";
import type { OrphanResult } from "../../session/pair-tool-calls.js";
import { formatCost, formatCount, formatDuration, formatTime, formatTokens, totalTokens } from "../format-values.js";
import type { ShownTurn } from "../shown-session.js";
import type { TurnItem } from "../turn-items.js";
import { callMarkdown } from "./call-markdown.js";
import { containMarkdown } from "./contain-markdown.js";
import { CLOSE_DETAILS, codeSpan, fenced, htmlWords, openDetails, plainWords, quoted } from "./markdown-text.js";
import type { MarkdownOptions, Telling } from "./telling.js";

const KEPT = "\n*kept by a compaction*\n";

/** The prompt, all that followed, and what it took; every block begins with a blank line. */
export function* turnMarkdown(shown: ShownTurn, telling: Telling): Generator<string> {
  const { turn, items, costUsd, isPromptKept } = shown;
  yield promptMarkdown(turn);
  if (isPromptKept) yield KEPT;
  yield* itemsMarkdown(items, telling);
  yield footerMarkdown(turn, costUsd);
}

export function* itemsMarkdown(items: readonly TurnItem[], telling: Telling): Generator<string> {
  for (const item of items) {
    let isTold = false;
    for (const piece of itemMarkdown(item, telling)) {
      isTold ||= piece !== "";
      yield piece;
    }
    if (isTold && item.isKept) yield KEPT;
  }
}

function promptMarkdown({ kind, prompt, context, output }: Turn): string {
  const signs = { prompt: "", command: "", bash: "Shell command", notification: "A background task ended" };
  const sign = signs[kind] === "" ? "" : `\n**${signs[kind]}**\n`;
  const words = kind === "bash" ? fenced(prompt, "sh") : containMarkdown(prompt, { isQuoted: true });
  const said = words === "" ? "" : `\n${quoted(words)}`;
  const items = context.map((item) => `\n*with* ${describeContext(item)}\n`);
  return sign + said + items.join("") + printed(output);
}

function describeContext(item: Turn["context"][number]): string {
  switch (item.kind) {
    case "ide_selection":
      return `lines ${item.startLine ?? "?"} to ${item.endLine ?? "?"} of ${codeSpan(item.path ?? "a file")}`;
    case "ide_opened_file":
    case "file":
      return codeSpan(item.path ?? "a file");
    case "image":
    case "document":
      return plainWords(`${item.kind} ${item.mediaType ?? ""}`);
  }
}

function printed(output: string | null): string {
  return output === null || output.trim() === "" ? "" : `\n${fenced(output)}`;
}

function* itemMarkdown(item: TurnItem, telling: Telling): Generator<string> {
  switch (item.kind) {
    case "text":
      yield item.isApiError ? `\n**API error:** ${plainWords(item.text)}\n` : `\n${containMarkdown(item.text)}`;
      return;
    case "thinking":
      if (telling.options.thinking) yield thinkingMarkdown(item.text);
      return;
    case "call":
      if (telling.options.tools !== "none") yield* callMarkdown(item.call, telling);
      return;
    case "orphanResult":
      yield orphanMarkdown(item.orphan, telling.options);
      return;
    case "followUp":
      yield followUpMarkdown(item.followUp);
      return;
    case "local":
      yield localMarkdown(item.local);
      return;
    case "notice":
      yield noticeMarkdown(item.notice, telling.options);
      return;
    case "compaction":
      yield compactionMarkdown(item.compaction, item.keptMessages);
      return;
    case "file":
      yield `\n*${plainWords([item.type, item.file?.mediaType ?? ""].join(" "))}*\n`;
      return;
  }
}

function thinkingMarkdown(text: string | null): string {
  if (text === null) return "\n*thinking, encrypted by the API*\n";
  return `\n${openDetails("Thinking")}\n${containMarkdown(text)}\n${CLOSE_DETAILS}`;
}

function orphanMarkdown({ toolUseId, result, isError }: OrphanResult, { tools }: MarkdownOptions): string {
  if (tools === "none") return "";
  const head = `${isError ? "✗" : "?"} A result of a call that is not here:`;
  if (tools === "brief" || result.trim() === "") return `\n${head} ${codeSpan(toolUseId)}\n`;
  return `\n${openDetails(`${head} <code>${htmlWords(toolUseId)}</code>`)}\n${fenced(result)}\n${CLOSE_DETAILS}`;
}

function followUpMarkdown({ prompt, deliveryRecorded, images }: FollowUp): string {
  const note = deliveryRecorded ? "" : " (queued; delivery not recorded)";
  const pictures = images > 0 ? ` with ${formatCount(images, "image")}` : "";
  return `\n**Said meanwhile**${note}${pictures}\n\n${quoted(containMarkdown(prompt, { isQuoted: true }))}`;
}

function localMarkdown({ kind, prompt, output }: Local): string {
  return `\n*${kind === "bash" ? "shell" : "local"}* ${codeSpan(prompt)}\n${printed(output)}`;
}

/** What the client put in for the model is folded. */
function noticeMarkdown({ kind, subtype, text }: Notice, { tools }: MarkdownOptions): string {
  if (kind === "injected" && tools !== "full") return "";
  const name = NOTICE_NAMES[kind];
  const words = text.trim();
  if (kind !== "injected" && !words.includes("\n")) return `\n*${name}* ${plainWords(words)}\n`;
  const summary = htmlWords([name, subtype].filter((part) => part).join(": "));
  return `\n${openDetails(summary)}\n${fenced(words)}\n${CLOSE_DETAILS}`;
}

const NOTICE_NAMES: Readonly<Record<Notice["kind"], string>> = {
  system: "client",
  injected: "told to the model",
  nonHuman: "prompt by no person",
  notification: "notification",
  attached: "attached",
  hook: "hook",
};

function compactionMarkdown({ trigger, preTokens, postTokens, summary }: Compaction, kept: number): string {
  const facts = [
    trigger ?? "unknown trigger",
    preTokens === null
      ? ""
      : `${formatTokens(preTokens)} tokens${postTokens === null ? "" : ` to ${formatTokens(postTokens)}`}`,
    kept === 0 ? "" : `${formatCount(kept, "message")} kept`,
  ];
  const head = `Compacted (${facts.filter((part) => part !== "").join(", ")})`;
  if (summary === null || summary.trim() === "") return `\n***\n\n**${plainWords(head)}**\n`;
  return `\n***\n\n${openDetails(`<b>${htmlWords(head)}</b>`)}\n${containMarkdown(summary)}\n${CLOSE_DETAILS}`;
}

function footerMarkdown(turn: Turn, costUsd: number | null): string {
  const facts = [
    turn.kind === "prompt" ? "" : turn.kind,
    turn.interrupted ? "interrupted" : "",
    turn.complete ? "" : "open",
    formatTime(turn.startedAt),
    turn.durationMs === null ? "" : formatDuration(turn.durationMs),
    `${formatTokens(totalTokens(turn.usage))} tokens`,
    formatCost(costUsd),
  ];
  return `\n<sub>${plainWords(facts.filter((part) => part !== "").join(" · "))}</sub>\n`;
}
