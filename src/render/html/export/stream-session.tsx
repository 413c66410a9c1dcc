import type { JSX } from "preact";
import { formatTime } from "../../format-values.js";
import type { ShownSession, ShownSubagent, ShownTurn } from "../../show-session.js";
import { viewTool } from "../../tools/view-tool.js";
import type { TurnItem } from "../../turn-items.js";
import { type Anchors, createAnchors } from "../components/anchors.js";
import { CallRun, groupItems } from "../components/call-run.js";
import { SectionFrame, SubagentFrame, TurnFrame } from "../components/frames.js";
import { Item } from "../components/item.js";
import type { PageTools } from "../components/page-tools.js";
import { ToolCallRow } from "../components/tool-call.js";
import { type ContentsEntry, foldedEntry, turnEntry } from "./contents.js";
import { toFrame, toHtml } from "./to-html.js";

/** A part of the page that is not divided, such as a turn. Its pieces must be taken before the next section is. */
export interface StreamedSection {
  /** Null where it is not worth a line in the contents list. */
  readonly entry: ContentsEntry | null;
  readonly pieces: Iterable<string>;
}

/** A session as HTML, section by section and piece by piece: never the whole of it in memory. */
export function* streamSession(session: ShownSession, tools: PageTools): Generator<StreamedSection> {
  const streaming = { tools, anchors: createAnchors(), launchedBy: session.launchedBy, painted: new Set<string>() };
  yield* preambleSection(session, streaming);
  yield* turnSections(session, streaming);
  yield* branchSections(session, streaming);
  yield* agentsSection(session, streaming);
}

function* preambleSection(session: ShownSession, streaming: ExportContext): Generator<StreamedSection> {
  const items = session.preamble();
  if (items.length === 0) return;
  const frame = { anchor: streaming.anchors("section", "preamble"), title: "Before the first turn" };
  const pieces = itemPieces(items, streaming);
  yield {
    entry: null,
    pieces: framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, pieces, streaming),
  };
}

function* turnSections(session: ShownSession, streaming: ExportContext): Generator<StreamedSection> {
  let day = "";
  for (const shown of session.turns()) {
    const anchor = turnAnchor(shown, streaming);
    const today = formatTime(shown.turn.startedAt).slice(0, 10);
    const pieces = turnPieces(shown, { anchor, isNewDay: today !== day }, streaming);
    day = today;
    yield { entry: turnEntry(shown, anchor), pieces };
  }
}

function* branchSections(session: ShownSession, streaming: ExportContext): Generator<StreamedSection> {
  for (const { leaf, turns } of session.rewound()) {
    const frame = { anchor: streaming.anchors("rewound", leaf), title: "Rewound branch", icon: "fork" as const };
    const inner = nestedTurnPieces(turns(), streaming);
    const pieces = framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, inner, streaming);
    yield { entry: foldedEntry("rewound", "rewound branch", frame.anchor), pieces };
  }
}

/** Sub-agents that no shown call launched. Warm-ups are hidden: the client launched them for itself. */
function* agentsSection(session: ShownSession, streaming: ExportContext): Generator<StreamedSection> {
  const agents = session.subagents().filter(({ agentId, warmup }) => !warmup && !streaming.painted.has(agentId));
  if (agents.length === 0) return;
  const frame = { anchor: streaming.anchors("section", "agents"), title: "Other sub-agents" };
  const inner = agentPieces(agents, streaming);
  const pieces = framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, inner, streaming);
  yield { entry: foldedEntry("agents", "other sub-agents", frame.anchor), pieces };
}

/** What all pieces of one export share. */
interface ExportContext {
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

function* turnPieces(shown: ShownTurn, place: TurnPlace, streaming: ExportContext): Generator<string> {
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

function turnAnchor({ turn }: ShownTurn, { anchors }: ExportContext): string {
  return anchors("turn", turn.uuid ?? `line-${turn.line}`);
}

function* itemPieces(items: readonly TurnItem[], streaming: ExportContext): Generator<string> {
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
function* framedPieces(
  make: (children: JSX.Element) => JSX.Element,
  inner: Iterable<string>,
  { tools }: ExportContext,
): Generator<string> {
  const [before, after] = toFrame(make, tools);
  yield before;
  yield* inner;
  yield `${after}\n`;
}

function* onePieces(items: readonly TurnItem[], streaming: ExportContext): Generator<string> {
  for (const item of items) {
    if (item.kind === "call") yield* callPieces(item, streaming);
    else yield `${toHtml(<Item item={item} />, streaming.tools)}\n`;
  }
}

function* callPieces(
  { call, isKept }: Extract<TurnItem, { kind: "call" }>,
  streaming: ExportContext,
): Generator<string> {
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
function* agentPieces(agents: readonly ShownSubagent[], streaming: ExportContext): Generator<string> {
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

function* agentTurnPieces(subagent: ShownSubagent, streaming: ExportContext): Generator<string> {
  const session = subagent.open();
  const within = { ...streaming, launchedBy: session.launchedBy };
  yield* itemPieces(session.preamble(), within);
  yield* nestedTurnPieces(session.turns(), within);
}

/** Turns that are not of the session itself. Rewound ones may begin with the same record as one that lives. */
function* nestedTurnPieces(turns: Iterable<ShownTurn>, streaming: ExportContext): Generator<string> {
  for (const shown of turns) {
    yield* turnPieces(shown, { anchor: turnAnchor(shown, streaming), isNested: true }, streaming);
  }
}
