import { formatTime } from "../format-values.js";
import type { ShownSession } from "../shown-session.js";
import { createAnchors } from "./anchors.js";
import { type ContentsEntry, foldedEntry, turnEntry } from "./contents-entry.js";
import type { PageTools } from "./page-tools.js";
import { SectionFrame } from "./section-frame.js";
import {
  agentPieces,
  framedPieces,
  itemPieces,
  nestedTurnPieces,
  type Streaming,
  turnAnchor,
  turnPieces,
} from "./stream-turn.js";

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

function* preambleSection(session: ShownSession, streaming: Streaming): Generator<StreamedSection> {
  const items = session.preamble();
  if (items.length === 0) return;
  const frame = { anchor: streaming.anchors("section", "preamble"), title: "Before the first turn" };
  const pieces = itemPieces(items, streaming);
  yield {
    entry: null,
    pieces: framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, pieces, streaming),
  };
}

function* turnSections(session: ShownSession, streaming: Streaming): Generator<StreamedSection> {
  let day = "";
  for (const shown of session.turns()) {
    const anchor = turnAnchor(shown, streaming);
    const today = formatTime(shown.turn.startedAt).slice(0, 10);
    const pieces = turnPieces(shown, { anchor, isNewDay: today !== day }, streaming);
    day = today;
    yield { entry: turnEntry(shown, anchor), pieces };
  }
}

function* branchSections(session: ShownSession, streaming: Streaming): Generator<StreamedSection> {
  for (const { leaf, turns } of session.rewound()) {
    const frame = { anchor: streaming.anchors("rewound", leaf), title: "Rewound branch", icon: "fork" as const };
    const inner = nestedTurnPieces(turns(), streaming);
    const pieces = framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, inner, streaming);
    yield { entry: foldedEntry("rewound", "rewound branch", frame.anchor), pieces };
  }
}

/** Sub-agents that no shown call launched. Warm-ups are hidden: the client launched them for itself. */
function* agentsSection(session: ShownSession, streaming: Streaming): Generator<StreamedSection> {
  const agents = session.subagents().filter(({ agentId, warmup }) => !warmup && !streaming.painted.has(agentId));
  if (agents.length === 0) return;
  const frame = { anchor: streaming.anchors("section", "agents"), title: "Other sub-agents" };
  const inner = agentPieces(agents, streaming);
  const pieces = framedPieces((children) => <SectionFrame {...frame}>{children}</SectionFrame>, inner, streaming);
  yield { entry: foldedEntry("agents", "other sub-agents", frame.anchor), pieces };
}
