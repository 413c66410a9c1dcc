import type { JSX } from "preact";
import { formatTime } from "../../format-values.js";
import { capitalize, describeForkContext } from "../../labels.js";
import { neutralize } from "../../safe-text.js";
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

/** A part of the page that is not divided, such as a turn. Read its pieces before asking for the next section. */
export interface StreamedSection {
  /** Null for a section without a line in the contents list. */
  readonly entry: ContentsEntry | null;
  readonly pieces: Iterable<string>;
}

/** A session as HTML, section by section and piece by piece, so that it is never in memory as a whole. */
export function* streamSession(session: ShownSession, tools: PageTools): Generator<StreamedSection> {
  const context = { tools, anchors: createAnchors(), launchedBy: session.launchedBy, shownAgents: new Set<string>() };
  yield* contextSection(session, context);
  yield* preambleSection(session, context);
  yield* turnSections(session, context);
  yield* branchSections(session, context);
  yield* agentsSection(session, context);
}

/** The conversation that a forked sub-agent began with, where its file is written alone. */
function* contextSection(session: ShownSession, context: ExportContext): Generator<StreamedSection> {
  const began = session.context();
  if (!began) return;
  const title = capitalize(describeForkContext(began));
  const frame = { anchor: context.anchors("section", "context"), title, icon: "fork" as const };
  const inner = nestedTurnPieces(began.turns(), { ...context, launchedBy: () => [] });
  const pieces = framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, inner, context);
  yield { entry: null, pieces };
}

function* preambleSection(session: ShownSession, context: ExportContext): Generator<StreamedSection> {
  const items = session.preamble();
  if (items.length === 0) return;
  const frame = { anchor: context.anchors("section", "preamble"), title: "Before the first turn" };
  const pieces = itemPieces(items, context);
  yield {
    entry: null,
    pieces: framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, pieces, context),
  };
}

function* turnSections(session: ShownSession, context: ExportContext): Generator<StreamedSection> {
  let day = "";
  for (const shown of session.turns()) {
    const anchor = turnAnchor(shown, context);
    const today = formatTime(shown.turn.startedAt).slice(0, 10);
    const pieces = turnPieces(shown, { anchor, isNewDay: today !== day }, context);
    day = today;
    yield { entry: turnEntry(shown, anchor), pieces };
  }
}

function* branchSections(session: ShownSession, context: ExportContext): Generator<StreamedSection> {
  for (const { leaf, turns } of session.rewound()) {
    const frame = { anchor: context.anchors("rewound", leaf), title: "Rewound branch", icon: "fork" as const };
    const inner = nestedTurnPieces(turns(), context);
    const pieces = framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, inner, context);
    yield { entry: foldedEntry("rewound", "rewound branch", frame.anchor), pieces };
  }
}

/** Sub-agents that no shown call launched. Warm-ups are hidden: Claude Code launches them for itself. */
function* agentsSection(session: ShownSession, context: ExportContext): Generator<StreamedSection> {
  const agents = session.subagents().filter(({ agentId, warmup }) => !warmup && !context.shownAgents.has(agentId));
  if (agents.length === 0) return;
  const frame = { anchor: context.anchors("section", "agents"), title: "Other sub-agents" };
  const inner = agentPieces(agents, context);
  const pieces = framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, inner, context);
  yield { entry: foldedEntry("agents", "other sub-agents", frame.anchor), pieces };
}

interface ExportContext {
  readonly tools: PageTools;
  readonly anchors: Anchors;
  /** Finds the sub-agents of a call, in the session that holds the call. */
  readonly launchedBy: ShownSession["launchedBy"];
  /** Ids of the sub-agents that were written already. */
  readonly shownAgents: Set<string>;
}

export interface TurnPlace {
  readonly anchor: string;
  readonly isNewDay?: boolean;
  readonly isNested?: boolean;
}

function* turnPieces(shown: ShownTurn, place: TurnPlace, context: ExportContext): Generator<string> {
  yield* framedPieces(
    (children) => (
      <TurnFrame shown={shown} {...place}>
        {children}
      </TurnFrame>
    ),
    itemPieces(shown.items, context),
    context,
  );
}

function turnAnchor({ turn }: ShownTurn, { anchors }: ExportContext): string {
  return anchors("turn", turn.uuid ?? `line-${turn.line}`);
}

function* itemPieces(items: readonly TurnItem[], context: ExportContext): Generator<string> {
  for (const group of groupItems(items)) {
    if (group.kind === "one") yield* onePieces([group.item], context);
    else {
      const { summary } = group;
      yield* framedPieces(
        (children) => <CallRun summary={summary}>{children}</CallRun>,
        onePieces(group.items, context),
        context,
      );
    }
  }
}

/** A component whose children are written piece by piece. */
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

function* onePieces(items: readonly TurnItem[], context: ExportContext): Generator<string> {
  for (const item of items) {
    if (item.kind === "call") yield* callPieces(item, context);
    else yield `${toHtml(<Item item={item} />, context.tools)}\n`;
  }
}

function* callPieces({ call, isKept }: Extract<TurnItem, { kind: "call" }>, context: ExportContext): Generator<string> {
  const anchor = context.anchors("call", call.id);
  const view = viewTool(call);
  const agents = context.launchedBy(call.id).filter(({ agentId }) => !context.shownAgents.has(agentId));
  if (agents.length === 0) {
    yield `${toHtml(<ToolCallRow call={call} view={view} anchor={anchor} isKept={isKept} />, context.tools)}\n`;
    return;
  }
  yield* framedPieces(
    (children) => (
      <ToolCallRow call={call} view={view} anchor={anchor} isKept={isKept}>
        {children}
      </ToolCallRow>
    ),
    agentPieces(agents, context),
    context,
  );
}

/** Sub-agents with all their turns and nested sub-agents. */
function* agentPieces(agents: readonly ShownSubagent[], context: ExportContext): Generator<string> {
  for (const subagent of agents) {
    context.shownAgents.add(subagent.agentId);
    const anchor = context.anchors("agent", subagent.agentId);
    yield* framedPieces(
      (children) => (
        <SubagentFrame subagent={subagent} anchor={anchor}>
          {children}
        </SubagentFrame>
      ),
      agentTurnPieces(subagent, context),
      context,
    );
  }
}

function* agentTurnPieces(subagent: ShownSubagent, context: ExportContext): Generator<string> {
  const session = subagent.open();
  const within = { ...context, launchedBy: session.launchedBy };
  const began = session.context();
  if (began)
    yield `${toHtml(<p class="began">{neutralize(capitalize(describeForkContext(began)))}</p>, context.tools)}\n`;
  yield* itemPieces(session.preamble(), within);
  yield* nestedTurnPieces(session.turns(), within);
}

/** Turns of sub-agents and rewound branches. A rewound turn may start with the same record as an active one. */
function* nestedTurnPieces(turns: Iterable<ShownTurn>, context: ExportContext): Generator<string> {
  for (const shown of turns) {
    yield* turnPieces(shown, { anchor: turnAnchor(shown, context), isNested: true }, context);
  }
}
