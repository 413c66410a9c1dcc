import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { type Anchors, createAnchors } from "../../render/html/components/anchors.js";
import { CallRun, groupItems } from "../../render/html/components/call-run.js";
import { ScrollBox } from "../../render/html/components/code-blocks.js";
import { SubagentFrame, TurnFrame } from "../../render/html/components/frames.js";
import { Item } from "../../render/html/components/item.js";
import { useUnfolded } from "../../render/html/components/page-tools.js";
import { ToolCallRow } from "../../render/html/components/tool-call.js";
import { capitalize, describeForkContext, subagentName } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { SessionChange } from "../../server/api/events.js";
import type { ForkContextAnswer, ServedItem, ServedSubagent, TurnsAnswer } from "../../server/api/session.js";
import { useAnswer } from "../api.js";
import { type PlaceInSession, sessionPath } from "../router.js";
import { useServerEvents } from "../server-events.js";
import { IconButton, UiIcon } from "../shell/controls.js";
import { useReturnedFocus } from "../shell/keyboard.js";
import { FailedState, LoadingState } from "../shell/states.js";
import type { RawPlace } from "./raw-dialog.js";
import { agentAnchor, INSIDE } from "./show-target.js";

/** The session around an item, as context for rendering it. */
export interface ItemPlace {
  readonly id: string;
  readonly place: PlaceInSession;
  readonly subagents: readonly ServedSubagent[];
  /** The last turn of a live session. */
  readonly openTurn: number | null;
  /** Set inside a sub-agent. */
  readonly agentId?: string;
  /** Prefix of all anchors inside a sub-agent. */
  readonly within?: string;
  /** Prefix of element ids in the side pane, where a sub-agent is rendered a second time. */
  readonly copy?: string;
  onRaw(place: RawPlace): void;
  /** Opens a sub-agent in the side pane. */
  onBeside(subagent: ServedSubagent): void;
}

export const ItemPlaceContext = createContext<ItemPlace>({
  id: "",
  place: {},
  subagents: [],
  openTurn: null,
  onRaw: () => {},
  onBeside: () => {},
});

export function ServedItems({ items }: { readonly items: readonly ServedItem[] }) {
  const anchors = createAnchors();
  return groupItems(items).map((group, index) =>
    group.kind === "one" ? (
      <One key={index} item={group.item} anchors={anchors} />
    ) : (
      <CallRun key={index} summary={group.summary}>
        {group.items.map((item, at) => (
          <One key={at} item={item} anchors={anchors} />
        ))}
      </CallRun>
    ),
  );
}

function One({ item, anchors }: { readonly item: ServedItem; readonly anchors: Anchors }) {
  const {
    id,
    place,
    subagents,
    openTurn,
    agentId,
    within = "",
    copy = "",
    onRaw,
    onBeside,
  } = useContext(ItemPlaceContext);
  const raw = <RawButton record={item.record} agentId={agentId} onRaw={onRaw} />;
  if (item.kind !== "call") {
    return (
      <div class="said">
        <Item item={item} />
        {raw}
      </div>
    );
  }
  const anchor = within + anchors("call", item.call.id);
  const changes = isChange(item) ? sessionPath(id, { ...place, view: "changes", anchor }) : undefined;
  const launched = subagents.filter(({ toolUseId }) => toolUseId === item.call.id);
  return (
    <ToolCallRow
      call={item.call}
      view={item.view}
      anchor={copy + anchor}
      href={sessionPath(id, { ...place, anchor })}
      isKept={item.isKept}
      isRunning={openTurn !== null && place.turn === openTurn}
      actions={
        <>
          {changes === undefined ? null : <ToChanges href={changes} />}
          {raw}
        </>
      }
    >
      {launched.length === 0
        ? undefined
        : launched.map((subagent) => (
            <SubagentFrame
              key={subagent.agentId}
              subagent={subagent}
              anchor={copy + within + anchors("agent", subagent.agentId)}
            >
              <button type="button" class="link to-beside" onClick={() => onBeside(subagent)}>
                <UiIcon name="beside" /> Open in side pane
              </button>
              <AgentTurns agentId={subagent.agentId} />
            </SubagentFrame>
          ))}
    </ToolCallRow>
  );
}

const WRITING = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"]);

function isChange({ call: { name, status }, view }: Extract<ServedItem, { kind: "call" }>): boolean {
  return status === "ok" && (WRITING.has(name) || view.parts.some(({ kind }) => kind === "diff"));
}

function ToChanges({ href }: { readonly href: string }) {
  return (
    <a class="sign-button to-changes" href={href} title="Show among all changes" aria-label="Show among all changes">
      <UiIcon name="changes" />
    </a>
  );
}

interface RawButtonProps extends Pick<ItemPlace, "onRaw"> {
  readonly record: ServedItem["record"];
  readonly agentId: string | undefined;
}

function RawButton({ record, agentId, onRaw }: RawButtonProps) {
  if (record === null) return null;
  const place = typeof record === "number" ? { line: record } : { uuid: record };
  const open = () => onRaw({ ...place, ...(agentId === undefined ? {} : { agentId }) });
  return <IconButton name="raw" label="Raw record of this item" onClick={open} />;
}

/** Turns of a sub-agent that are shown at first, and that one answer of the server may hold. */
const [AGENT_TURNS, MOST_AGENT_TURNS] = [50, 200];

interface AgentTurnsProps {
  readonly agentId: string;
  readonly isBeside?: boolean;
}

/** Rendered, and so requested, when the sub-agent is opened; updated while its file grows. */
function AgentTurns({ agentId, isBeside = false }: AgentTurnsProps) {
  const around = useContext(ItemPlaceContext);
  const { id, subagents } = around;
  const within = (around.within ?? "") + agentAnchor(agentId) + INSIDE;
  const copy = isBeside ? `beside${INSIDE}` : (around.copy ?? "");
  const launchedIn = subagents.find((one) => one.agentId === agentId)?.turn ?? null;
  const place = isBeside ? { ...around.place, turn: launchedIn } : around.place;
  const base = `/api/sessions/${encodeURIComponent(id)}/subagents/${encodeURIComponent(agentId)}`;
  const [last, setLast] = useState(AGENT_TURNS);
  const { answer, failure, reload } = useAnswer<TurnsAnswer>(`${base}/turns?from=1&to=${last}`);
  useServerEvents((event) => {
    const isMine = (change: SessionChange) => change.id === id && change.agentId === agentId;
    if (event.kind === "connected" || (event.kind === "sessions" && event.changes.some(isMine))) reload();
  });
  if (failure) return <FailedState failure={failure} />;
  if (!answer) return <LoadingState />;
  return (
    <ItemPlaceContext.Provider value={{ ...around, agentId, place, within, copy }}>
      {subagents.find((one) => one.agentId === agentId)?.isFork ? (
        <ForkContext base={base} within={within + copy} />
      ) : null}
      <ServedItems items={answer.preamble} />
      {answer.turns.map((shown) => (
        <TurnFrame
          key={shown.turn.index}
          shown={shown}
          anchor={`${copy}${within}${shown.turn.index}`}
          href={sessionPath(id, { ...place, anchor: `${within}${shown.turn.index}` })}
          isNested
        >
          <ServedItems items={shown.items} />
        </TurnFrame>
      ))}
      {answer.to < answer.total ? (
        <p class="note">
          {formatCount(answer.total - answer.to, "more turn")} not shown{" "}
          {last < MOST_AGENT_TURNS ? (
            <button type="button" class="link" onClick={() => setLast(MOST_AGENT_TURNS)}>
              Show more
            </button>
          ) : null}
        </p>
      ) : null}
    </ItemPlaceContext.Provider>
  );
}

interface ForkContextProps {
  readonly base: string;
  readonly within: string;
}

/** What a forked sub-agent began with, folded; requested when it is unfolded. */
function ForkContext({ base, within }: ForkContextProps) {
  const { isUnfolded, onToggle } = useUnfolded();
  return (
    <details class="aside" onToggle={onToggle}>
      <summary>
        <h2 class="who">What the fork began with</h2>
      </summary>
      {isUnfolded ? <ForkContextTurns base={base} within={within} /> : null}
    </details>
  );
}

function ForkContextTurns({ base, within }: ForkContextProps) {
  const around = useContext(ItemPlaceContext);
  const { answer, failure } = useAnswer<ForkContextAnswer>(`${base}/fork-context`);
  if (failure) return <FailedState failure={failure} />;
  if (!answer) return <LoadingState />;
  const { agentId: _agentId, ...inSession } = around;
  return (
    <ItemPlaceContext.Provider value={answer.sessionId === around.id ? inSession : around}>
      <p class="note">{neutralize(capitalize(describeForkContext(answer)))}</p>
      {answer.turns.map((shown, at) => (
        <TurnFrame key={at} shown={shown} anchor={`${within}context-${at}`} isNested>
          <ServedItems items={shown.items} />
        </TurnFrame>
      ))}
      {answer.isCut ? <p class="note">more turns not shown</p> : null}
    </ItemPlaceContext.Provider>
  );
}

interface BesidePaneProps {
  readonly subagent: ServedSubagent;
  onClose(): void;
}

/** A sub-agent next to the session. */
export function BesidePane({ subagent, onClose }: BesidePaneProps) {
  const { agentId } = subagent;
  useReturnedFocus();
  return (
    <aside class="beside" aria-label="Sub-agent">
      <header>
        <h2 dir="auto">{neutralize(subagentName(subagent))}</h2>
        <IconButton name="close" label="Close sub-agent" onClick={onClose} />
      </header>
      <ScrollBox class="beside-turns" label="Turns of the sub-agent">
        <AgentTurns key={agentId} agentId={agentId} isBeside />
      </ScrollBox>
    </aside>
  );
}
