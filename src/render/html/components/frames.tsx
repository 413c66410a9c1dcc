import type { ComponentChildren } from "preact";
import { type ContentBlock, toInlineFile } from "../../../format/record/content-block.js";
import type { Turn } from "../../../session/turns/build-turn.js";
import { formatCost, formatDuration, formatTime, formatTokens, totalTokens } from "../../format-values.js";
import { describeContext, describeSubagentTotals, subagentName, TURN_LABELS, UNFINISHED_LABEL } from "../../labels.js";
import { neutralize } from "../../safe-text.js";
import type { ShownSubagent, ShownTurn } from "../../show-session.js";
import { Icon, type IconName, Kept } from "./icon.js";
import { useUnfolded } from "./page-tools.js";
import { Picture, PlainText } from "./prose.js";

/** A turn without the content of its items. */
export interface FramedTurn extends Pick<ShownTurn, "costUsd" | "isPromptKept"> {
  readonly turn: TurnFacts;
}

type TurnFacts = Omit<Turn, "messages" | "toolCalls" | "followUps" | "locals" | "notices" | "orphanResults">;

export interface TurnFrameProps {
  readonly shown: FramedTurn;
  /** Element id in the page. */
  readonly anchor: string;
  /** Target of links to the turn; default: the anchor in this page. */
  readonly href?: string;
  /** A turn of a sub-agent or of a rewound branch. */
  readonly isNested?: boolean;
  /** Shows the date too, not only the time. */
  readonly isNewDay?: boolean;
  /** Buttons in the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The heading, prompt and footer of a turn around its items. */
export function TurnFrame(props: TurnFrameProps) {
  const { shown, anchor, href = `#${anchor}`, isNested = false, isNewDay = false, actions, children } = props;
  const { turn, isPromptKept } = shown;
  const Heading = isNested ? "h3" : "h2";
  return (
    <section id={anchor} {...(isNested ? NESTED : { class: "turn" })} aria-labelledby={`${anchor}-who`}>
      <header>
        <Heading id={`${anchor}-who`} class="who">
          <span class="out-of-sight">Turn {turn.index}: </span>
          {isNested && turn.kind === "prompt" ? "Prompt" : TURN_LABELS[turn.kind]}
        </Heading>
        <Kept isKept={isPromptKept} />
        {actions}
        <a class="number" href={href} aria-label={`Link to turn ${turn.index}`}>
          {turn.index}
        </a>
        <Time at={turn.startedAt} isNewDay={isNewDay} />
      </header>
      <Prompt turn={turn} />
      <div class="items">{children}</div>
      <Footer {...shown} />
    </section>
  );
}

/** Not a landmark: a page may hold thousands of nested turns, some of them twice. */
const NESTED = { class: "turn nested", role: "group" } as const;

function Time({ at, isNewDay }: { readonly at: string | null; readonly isNewDay: boolean }) {
  const words = formatTime(at);
  const time = isNewDay ? words : words.replace(/^\d{4}-\d{2}-\d{2} /, "");
  return (
    <time {...(at === null ? {} : { dateTime: neutralize(at) })} title={words}>
      {time}
    </time>
  );
}

function Prompt({ turn: { kind, prompt, context, attached, output } }: { readonly turn: TurnFacts }) {
  const files = context.filter((item) => item.kind !== "image" && item.kind !== "document");
  return (
    <div class="asked">
      <div class={kind === "prompt" ? "prompt" : `prompt ${kind}`}>
        <PlainText text={kind === "bash" ? `! ${prompt}` : prompt} />
      </div>
      {files.length === 0 ? null : (
        <ul class="along">
          {files.map((file, index) => (
            <li key={index}>{describeContext(file, neutralize)}</li>
          ))}
        </ul>
      )}
      {attached.map((block, index) => (
        <Attached key={index} block={block} />
      ))}
      {output?.trim() ? (
        <div class="local">
          <PlainText text={output} />
        </div>
      ) : null}
    </div>
  );
}

function Attached({ block: { kind, raw } }: { readonly block: ContentBlock }) {
  const file = toInlineFile(raw);
  return file ? <Picture {...file} /> : <p class="note">{kind}: data not recorded</p>;
}

function Footer({ turn, costUsd }: FramedTurn) {
  const { durationMs, usage, interrupted, complete } = turn;
  const tokens = totalTokens(usage);
  const cached = usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  const parts = `${formatTokens(usage.input)} in, ${formatTokens(cached)} cached, ${formatTokens(usage.output)} out`;
  return (
    <footer>
      {interrupted ? <span class="interrupted">interrupted</span> : null}
      {complete ? null : <span>{UNFINISHED_LABEL}</span>}
      {durationMs === null ? null : <span>{formatDuration(durationMs)}</span>}
      {tokens === 0 ? null : <span title={parts}>{formatTokens(tokens)} tokens</span>}
      {tokens === 0 ? null : <span>{formatCost(costUsd)}</span>}
    </footer>
  );
}

interface SubagentFrameProps {
  readonly subagent: Omit<ShownSubagent, "open">;
  readonly anchor: string;
  readonly children: ComponentChildren;
}

/** A sub-agent's session, folded to its name and figures. */
export function SubagentFrame({ subagent, anchor, children }: SubagentFrameProps) {
  const { isUnfolded, onToggle } = useUnfolded();
  return (
    <details id={anchor} class="agent" onToggle={onToggle}>
      <summary>
        <Icon name="agent" label="sub-agent" />
        <span class="title">{neutralize(subagentName(subagent))}</span>
        <span class="figures">{describeSubagentTotals(subagent.totals)}</span>
      </summary>
      {isUnfolded ? children : null}
    </details>
  );
}

interface SectionFrameProps {
  readonly anchor: string;
  readonly title: string;
  /** A section with an icon is folded. */
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}

/** A part of the session that is not a turn: the preamble, rewound branches, other sub-agents. */
export function SectionFrame({ anchor, title, icon, children }: SectionFrameProps) {
  if (icon === undefined) {
    return (
      <section id={anchor} class="aside" aria-label={title}>
        <h2 class="who">{title}</h2>
        {children}
      </section>
    );
  }
  return (
    <details id={anchor} class="aside">
      <summary>
        <Icon name={icon} />
        <h2 class="who">{title}</h2>
      </summary>
      {children}
    </details>
  );
}
