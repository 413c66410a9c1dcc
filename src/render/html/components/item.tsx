import type { Compaction } from "../../../session/turns/compactions.js";
import type { Notice } from "../../../session/turns/notices.js";
import { formatCount, formatTokens } from "../../format-values.js";
import { neutralize } from "../../safe-text.js";
import type { TurnItem } from "../../turn-items.js";
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
    case "local":
      return <Local local={item.local} />;
    case "notice":
      return <NoticeLine notice={item.notice} />;
    case "compaction":
      return <CompactionDivider compaction={item.compaction} keptMessages={item.keptMessages} />;
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
        <span class="title">a result whose call is not here: {neutralize(orphan.toolUseId)}</span>
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
        You, meanwhile <Kept isKept={isKept} />
      </p>
      <div class="prompt">
        <PlainText text={followUp.prompt} />
      </div>
      {followUp.images > 0 ? <p class="note">with {formatCount(followUp.images, "image")}</p> : null}
      {followUp.deliveryRecorded ? null : <p class="note">queued; whether it was delivered is not recorded</p>}
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

const NOTICE_NAMES: Readonly<Record<Notice["kind"], string>> = {
  system: "Client",
  injected: "For the model",
  nonHuman: "Not typed",
  notification: "Task",
  attached: "Beside the result",
  hook: "Hook",
};

const SHORT_NOTICE = 160; // characters

/** Long notices are folded. */
function NoticeLine({ notice: { kind, text } }: { readonly notice: Notice }) {
  const label = <span class="label">{NOTICE_NAMES[kind]}</span>;
  const line = firstLine(text);
  if (kind !== "injected" && text.trim().length <= SHORT_NOTICE && line === text.trim()) {
    return (
      <p class="notice">
        {label} {line}
      </p>
    );
  }
  return (
    <details class="notice">
      <summary>
        {label} <span class="title">{line}</span>
      </summary>
      <PlainText text={text} />
    </details>
  );
}

interface CompactionDividerProps {
  readonly compaction: Compaction;
  readonly keptMessages: number;
}

function CompactionDivider({ compaction, keptMessages }: CompactionDividerProps) {
  const { trigger, preTokens, postTokens, summary } = compaction;
  const sizes = [preTokens, postTokens].flatMap((tokens) => (tokens === null ? [] : formatTokens(tokens)));
  const words = [
    sizes.length > 0 ? `compacted ${sizes.join(" → ")} tokens` : "compacted",
    trigger === null ? "" : neutralize(trigger),
    keptMessages > 0 ? `${formatCount(keptMessages, "message")} kept` : "",
  ];
  const line = (
    <span>
      <Icon name="seam" /> {words.filter((word) => word !== "").join(" · ")}
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
