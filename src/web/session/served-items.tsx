import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Anchors, createAnchors } from "../../render/html/anchors.js";
import { CallRun } from "../../render/html/call-run.js";
import { groupItems } from "../../render/html/group-items.js";
import { Item } from "../../render/html/item.js";
import { SubagentFrame } from "../../render/html/subagent-frame.js";
import { ToolCallRow } from "../../render/html/tool-call.js";
import { TurnFrame } from "../../render/html/turn-frame.js";
import type { SessionChange } from "../../server/api/events.js";
import type { ServedSubagent } from "../../server/api/session.js";
import type { ServedItem, TurnsAnswer } from "../../server/api/turns.js";
import { type SessionPlace, sessionPath } from "../routes.js";
import { useServerEvents } from "../server-events.js";
import { Sign, SignButton } from "../shell/sign.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { useAnswer } from "../use-answer.js";
import type { RawPlace } from "./raw-dialog.js";
import { agentAnchor, WITHIN } from "./show-target.js";

/** What items need to know of the session around them. */
export interface ItemPlace {
  readonly id: string;
  readonly place: SessionPlace;
  readonly subagents: readonly ServedSubagent[];
  /** The last turn of a running session. */
  readonly openTurn: number | null;
  /** Set within a sub-agent. */
  readonly agentId?: string;
  /** Begins the anchors of all that is in a sub-agent. */
  readonly within?: string;
  /** Begins the ids of what is painted a second time, beside the session. */
  readonly copy?: string;
  onRaw(place: RawPlace): void;
  /** Shows a sub-agent in a column of its own. */
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
  const launched = subagents.filter(({ toolUseId }) => toolUseId === item.call.id);
  return (
    <ToolCallRow
      call={item.call}
      view={item.view}
      anchor={copy + anchor}
      href={sessionPath(id, { ...place, anchor })}
      isKept={item.isKept}
      isRunning={openTurn !== null && place.turn === openTurn}
      actions={raw}
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
                <Sign name="beside" /> Read beside
              </button>
              <AgentTurns agentId={subagent.agentId} />
            </SubagentFrame>
          ))}
    </ToolCallRow>
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
  return <SignButton name="raw" label="Raw record of this" onClick={open} />;
}

interface AgentTurnsProps {
  readonly agentId: string;
  readonly isBeside?: boolean;
}

/** Painted, and so asked for, once it is opened; grows while its file does. */
export function AgentTurns({ agentId, isBeside = false }: AgentTurnsProps) {
  const around = useContext(ItemPlaceContext);
  const { id, subagents } = around;
  const within = (around.within ?? "") + agentAnchor(agentId) + WITHIN;
  const copy = isBeside ? `beside${WITHIN}` : (around.copy ?? "");
  const launchedIn = subagents.find((one) => one.agentId === agentId)?.turn ?? null;
  const place = isBeside ? { ...around.place, turn: launchedIn } : around.place;
  const base = `/api/sessions/${encodeURIComponent(id)}/subagents/${encodeURIComponent(agentId)}`;
  const { answer, failure, reload } = useAnswer<TurnsAnswer>(`${base}/turns?from=1&to=50`);
  useServerEvents((event) => {
    const isMine = (change: SessionChange) => change.id === id && change.agentId === agentId;
    if (event.kind === "connected" || (event.kind === "sessions" && event.changes.some(isMine))) reload();
  });
  if (failure) return <FailedState failure={failure} />;
  if (!answer) return <LoadingState />;
  return (
    <ItemPlaceContext.Provider value={{ ...around, agentId, place, within, copy }}>
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
        <p class="note">{answer.total - answer.to} further turns are not shown here</p>
      ) : null}
    </ItemPlaceContext.Provider>
  );
}
