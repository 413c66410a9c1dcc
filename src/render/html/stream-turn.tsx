import type { JSX } from "preact";
import type { ShownSession, ShownSubagent, ShownTurn } from "../shown-session.js";
import { viewTool } from "../tools/view-tool.js";
import type { TurnItem } from "../turn-items.js";
import type { Anchors } from "./anchors.js";
import { CallRun } from "./call-run.js";
import { groupItems } from "./group-items.js";
import { Item } from "./item.js";
import type { PageTools } from "./page-tools.js";
import { SubagentFrame } from "./subagent-frame.js";
import { toFrame, toHtml } from "./to-html.js";
import { ToolCallRow } from "./tool-call.js";
import { TurnFrame } from "./turn-frame.js";

/** What all pieces of one export share. */
export interface Streaming {
  readonly tools: PageTools;
  readonly anchors: Anchors;
  /** The sub-agents that a call launched; asked of the session that the call stands in. */
  readonly launchedBy: ShownSession["launchedBy"];
  /** Sub-agents that were shown already. */
  readonly painted: Set<string>;
}

export interface TurnPlace {
  readonly anchor: string;
  readonly isNewDay?: boolean;
  readonly isNested?: boolean;
}

export function* turnPieces(shown: ShownTurn, place: TurnPlace, streaming: Streaming): Generator<string> {
  yield* framedPieces(
    (children) => (
      <TurnFrame shown={shown} {...place}>
        {children}
      </TurnFrame>
    ),
    itemPieces(shown.items, streaming),
    streaming,
  );
}

export function turnAnchor({ turn }: ShownTurn, { anchors }: Streaming): string {
  return anchors("turn", turn.uuid ?? `line-${turn.line}`);
}

export function* itemPieces(items: readonly TurnItem[], streaming: Streaming): Generator<string> {
  for (const group of groupItems(items)) {
    if (group.kind === "one") yield* onePieces([group.item], streaming);
    else {
      const { summary } = group;
      yield* framedPieces(
        (children) => <CallRun summary={summary}>{children}</CallRun>,
        onePieces(group.items, streaming),
        streaming,
      );
    }
  }
}

/** The frame of a component, and between its halves what is written piece by piece. */
export function* framedPieces(
  make: (children: JSX.Element) => JSX.Element,
  inner: Iterable<string>,
  { tools }: Streaming,
): Generator<string> {
  const [before, after] = toFrame(make, tools);
  yield before;
  yield* inner;
  yield `${after}\n`;
}

function* onePieces(items: readonly TurnItem[], streaming: Streaming): Generator<string> {
  for (const item of items) {
    if (item.kind === "call") yield* callPieces(item, streaming);
    else yield `${toHtml(<Item item={item} />, streaming.tools)}\n`;
  }
}

function* callPieces({ call, isKept }: Extract<TurnItem, { kind: "call" }>, streaming: Streaming): Generator<string> {
  const anchor = streaming.anchors("call", call.id);
  const view = viewTool(call);
  const agents = streaming.launchedBy(call.id).filter(({ agentId }) => !streaming.painted.has(agentId));
  if (agents.length === 0) {
    yield `${toHtml(<ToolCallRow call={call} view={view} anchor={anchor} isKept={isKept} />, streaming.tools)}\n`;
    return;
  }
  yield* framedPieces(
    (children) => (
      <ToolCallRow call={call} view={view} anchor={anchor} isKept={isKept}>
        {children}
      </ToolCallRow>
    ),
    agentPieces(agents, streaming),
    streaming,
  );
}

/** Sub-agents with all their turns, and theirs within. */
export function* agentPieces(agents: readonly ShownSubagent[], streaming: Streaming): Generator<string> {
  for (const subagent of agents) {
    streaming.painted.add(subagent.agentId);
    const anchor = streaming.anchors("agent", subagent.agentId);
    yield* framedPieces(
      (children) => (
        <SubagentFrame subagent={subagent} anchor={anchor}>
          {children}
        </SubagentFrame>
      ),
      agentTurnPieces(subagent, streaming),
      streaming,
    );
  }
}

function* agentTurnPieces(subagent: ShownSubagent, streaming: Streaming): Generator<string> {
  const session = subagent.open();
  const within = { ...streaming, launchedBy: session.launchedBy };
  yield* itemPieces(session.preamble(), within);
  yield* nestedTurnPieces(session.turns(), within);
}

/** Turns that are not of the session itself. Rewound ones may begin with the same record as one that lives. */
export function* nestedTurnPieces(turns: Iterable<ShownTurn>, streaming: Streaming): Generator<string> {
  for (const shown of turns) {
    yield* turnPieces(shown, { anchor: turnAnchor(shown, streaming), isNested: true }, streaming);
  }
}
