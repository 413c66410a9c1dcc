import type { ComponentChildren } from "preact";
import { formatCost, formatCount, formatTokens, totalTokens } from "../format-values.js";
import { neutralize } from "../neutralize.js";
import type { ShownSubagent } from "../shown-session.js";
import { Icon } from "./icon.js";
import { useUnfolded } from "./use-unfolded.js";

interface SubagentFrameProps {
  readonly subagent: Omit<ShownSubagent, "open">;
  readonly anchor: string;
  readonly children: ComponentChildren;
}

/** A session within a session, folded to what it was for and what it took. */
export function SubagentFrame({ subagent, anchor, children }: SubagentFrameProps) {
  const { isUnfolded, onToggle } = useUnfolded();
  const { agentId, type, description, totals } = subagent;
  const name = [type, description].filter((part) => part).join(": ") || agentId;
  const figures = [
    formatCount(totals.messages, "message"),
    formatCount(totals.toolCalls, "tool call"),
    totals.toolErrors > 0 ? `${totals.toolErrors} failed` : "",
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ];
  return (
    <details id={anchor} class="agent" onToggle={onToggle}>
      <summary>
        <Icon name="agent" label="sub-agent" />
        <span class="title">{neutralize(name)}</span>
        <span class="figures">{figures.filter((figure) => figure !== "").join(" · ")}</span>
      </summary>
      {isUnfolded ? children : null}
    </details>
  );
}
