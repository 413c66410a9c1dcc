import { ScrollBox } from "../../render/html/scroll-box.js";
import { neutralize } from "../../render/neutralize.js";
import type { ServedSubagent } from "../../server/api/session.js";
import { SignButton } from "../shell/sign.js";
import { useReturnedFocus } from "../shell/use-returned-focus.js";
import { AgentTurns } from "./served-items.js";

interface BesidePaneProps {
  readonly subagent: ServedSubagent;
  onClose(): void;
}

/** A sub-agent in a column of its own, so that both can be read. */
export function BesidePane({ subagent: { agentId, type, description }, onClose }: BesidePaneProps) {
  useReturnedFocus();
  return (
    <aside class="beside" aria-label="Sub-agent">
      <header>
        <h2 dir="auto">{neutralize([type, description].filter((part) => part).join(": ") || agentId)}</h2>
        <SignButton name="close" label="Close the sub-agent" onClick={onClose} />
      </header>
      <ScrollBox class="beside-turns" label="Turns of the sub-agent">
        <AgentTurns key={agentId} agentId={agentId} isBeside />
      </ScrollBox>
    </aside>
  );
}
