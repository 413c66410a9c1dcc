import type { Notice } from "../../../session/turns/notices.js";
import { formatCount } from "../../format-values.js";
import {
  DELIVERY_UNKNOWN_LABEL,
  describeCompaction,
  describeWords,
  NOTICE_LABELS,
  ORPHAN_RESULT_LABEL,
  QUEUED_LABEL,
  TURN_LABELS,
} from "../../labels.js";
import { neutralize } from "../../safe-text.js";
import type { CompactionItem, TurnItem } from "../../turn-items.js";
import { CodeBlock } from "./code-blocks.js";
import { Icon, Kept } from "./icon.js";
import { Markdown, Picture, PlainText } from "./prose.js";

/** Tool calls are painted by ToolCallRow. */
export type OtherItem = Exclude<TurnItem, { kind: "call" }>;

export function Item({ item }: { readonly item: OtherItem }) {
  switch (item.kind) {
    case "text":
      return (
        <div class={item.isApiError ? "answer failed" : "answer"}>
          <Markdown text={item.text} />
          <Kept isKept={item.isKept} />
        </div>
      );
    case "thinking":
      return <Thinking text={item.text} />;
    case "orphanResult":
      return <OrphanResult orphan={item.orphan} />;
    case "followUp":
      return <FollowUp item={item} />;
    case "words":
      return <Words words={item.words} />;
    case "local":
      return <Local local={item.local} />;
    case "notice":
      return <NoticeLine notice={item.notice} />;
    case "compaction":
      return <CompactionDivider item={item} />;
    case "file":
      return item.file ? <Picture {...item.file} /> : <p class="note">{neutralize(item.type)}</p>;
  }
}

function Thinking({ text }: { readonly text: string | null }) {
  if (text === null) return <p class="thinking">Thinking, encrypted by the API</p>;
  return (
    <details class="thinking">
      <summary>
        <span class="label">Thinking</span> <span class="title">{firstLine(text)}</span>
      </summary>
      <Markdown text={text} />
    </details>
  );
}

function OrphanResult({ orphan }: Pick<Extract<TurnItem, { kind: "orphanResult" }>, "orphan">) {
  return (
    <details class={orphan.isError ? "call failed" : "call orphan"}>
      <summary>
        <Icon name="orphan" label="no call" />
        <span class="title">
          {ORPHAN_RESULT_LABEL}: {neutralize(orphan.toolUseId)}
        </span>
      </summary>
      <div class="parts">
        <CodeBlock text={orphan.result} language={null} {...(orphan.isError ? { isError: true } : {})} />
      </div>
    </details>
  );
}

function FollowUp({ item: { followUp, isKept } }: { readonly item: Extract<TurnItem, { kind: "followUp" }> }) {
  return (
    <div class="follow-up">
      <p class="who">
        {QUEUED_LABEL} <Kept isKept={isKept} />
      </p>
      <div class="prompt">
        <PlainText text={followUp.prompt} />
      </div>
      {followUp.images > 0 ? <p class="note">with {formatCount(followUp.images, "image")}</p> : null}
      {followUp.deliveryRecorded ? null : <p class="note">{DELIVERY_UNKNOWN_LABEL}</p>}
    </div>
  );
}

/** What a person said through a tool call. */
function Words({ words }: Pick<Extract<TurnItem, { kind: "words" }>, "words">) {
  const label = describeWords(words) ?? TURN_LABELS.prompt;
  return (
    <div class="follow-up">
      <p class="who">{neutralize(label)}</p>
      <div class="prompt">
        {words.kind === "plan" ? <Markdown text={words.text} /> : <PlainText text={words.text} />}
      </div>
    </div>
  );
}

function Local({ local: { kind, prompt, output } }: Pick<Extract<TurnItem, { kind: "local" }>, "local">) {
  const sign = kind === "bash" ? "! " : "";
  return (
    <div class="local">
      <code>{neutralize(sign + prompt)}</code>
      {output?.trim() ? <PlainText text={output} /> : null}
    </div>
  );
}

const SHORT_NOTICE = 160; // characters

/** Long notices are folded. */
function NoticeLine({ notice: { kind, text, level } }: { readonly notice: Notice }) {
  const look = level === "warning" ? "notice warning" : "notice";
  const label = <span class="label">{NOTICE_LABELS[kind]}</span>;
  const line = firstLine(text);
  if (kind !== "injected" && text.trim().length <= SHORT_NOTICE && line === text.trim()) {
    return (
      <p class={look}>
        {label} {line}
      </p>
    );
  }
  return (
    <details class={look}>
      <summary>
        {label} <span class="title">{line}</span>
      </summary>
      <PlainText text={text} />
    </details>
  );
}

function CompactionDivider({ item }: { readonly item: CompactionItem }) {
  const { summary } = item.compaction;
  const words = describeCompaction(item).join(" · ");
  const line = (
    <span>
      <Icon name="seam" /> {neutralize(words)}
    </span>
  );
  if (summary === null) return <p class="seam">{line}</p>;
  return (
    <details class="seam">
      <summary>{line}</summary>
      <Markdown text={summary} />
    </details>
  );
}

const LINE_CHARACTERS = 160;

function firstLine(text: string): string {
  const [line = ""] = text.trim().slice(0, LINE_CHARACTERS).split("\n");
  return neutralize(line);
}
