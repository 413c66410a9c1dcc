import { clientRootOf } from "../../app/edit/edit-target.js";
import { resumeCommand } from "../../app/resume-command.js";
import { type KnownFacts, knownFacts } from "../../library/found-session.js";
import type { LoadedSession, LoadOptions } from "../../library/load/load-session.js";
import { promptLine } from "../../library/search/snippet.js";
import type { Node } from "../../session/graph/node.js";
import { costOfSpend, type PriceTable, spentByModel } from "../../session/messages/cost.js";
import { isCountedMessage, usageOf } from "../../session/messages/message.js";
import { sumUsage } from "../../session/messages/usage.js";
import type { Outline } from "../../session/open-session.js";
import { pickCosts, type SessionCosts, toSessionTotals } from "../../session/session-spend.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import { callTurns } from "../../session/turns/outline-turns.js";
import type {
  OutlineBranch,
  OutlineCall,
  OutlineCompaction,
  OutlineTurn,
  ServedHeader,
  ServedSubagent,
  SessionAnswer,
} from "../api/session.js";
import type { ServedLibrary, SessionLocation } from "../library/served-library.js";
import { branchOf, type CachedSession } from "../library/session-cache.js";

/** The answer to `GET /api/sessions/:id`. */
export async function answerOutline(
  library: ServedLibrary,
  id: string,
  request: OutlineRequest,
): Promise<SessionAnswer> {
  const place = await library.find(id);
  const outline = viewSessionOutline(await library.open(place.id), place, request, await library.loadOptions());
  return { ...outline, live: library.isLive({ id: place.id, endedAt: outline.header.endedAt }) };
}

interface OutlineRequest {
  readonly branch: string | undefined;
  /** The first and the last turn to include, 1-based. */
  readonly from: number;
  readonly to?: number;
}

/** Comparing a branch with the active one takes time; further branches are listed without `sharedTurns`. */
const COMPARED_BRANCHES = 20;

export function viewSessionOutline(
  cached: CachedSession,
  place: SessionLocation,
  { branch, from, to = Number.POSITIVE_INFINITY }: OutlineRequest,
  options: LoadOptions,
): Omit<SessionAnswer, "live"> {
  const { session, version, clean } = cached;
  const shown = branchOf(session, branch);
  const { outline } = shown;
  const mask = (text: string) => clean(text, "prompt");
  const viewTurns = () =>
    outline.turns.slice(from - 1, to).map((turn) => viewTurn(turn, outline, options.prices, mask));
  const isWhole = from === 1 && to >= outline.turns.length && shown === session;
  return {
    header: viewHeader(cached, place, options),
    totals: toSessionTotals(outline.totals, costsOf(cached, place)),
    sizeBytes: session.sizeBytes,
    version,
    turns: isWhole ? cached.once("turns", viewTurns) : viewTurns(),
    compactions: viewCompactions(outline),
    branches: {
      active: session.outline.activeLeaf,
      shown: outline.activeLeaf,
      dead: cached.once("branches", () => viewBranches(session)),
    },
    subagents: viewSubagents(cached, outline),
    warnings: clean(outline.warnings, "warning"),
    resumeCommand: clean(resumeCommandOf(session, place), "command"),
  };
}

/** As the list tells them where it knows the session as it is, so that both say the same. */
function costsOf({ session, once }: Pick<CachedSession, "session" | "once">, place: SessionLocation): SessionCosts {
  const isListed = "totalCostUsd" in place && place.sizeBytes === session.sizeBytes;
  return isListed ? pickCosts(place) : once("costs", () => session.costs());
}

/** Cached sessions are loaded without the user's marks, so the header adds them. */
function viewHeader(
  { session, clean }: Pick<CachedSession, "session" | "clean">,
  place: SessionLocation,
  options: LoadOptions,
): ServedHeader {
  const facts: KnownFacts = knownFacts(place.id, options, place);
  const own = facts.userTitle === null ? {} : { title: facts.userTitle, titleSource: "user" as const };
  return clean({ ...session.header, id: place.id, path: place.path, ...facts, ...own }, "session");
}

function viewTurn(
  { index, start, kind, round, nodes, isComplete }: TurnOutline,
  outline: Outline,
  prices: PriceTable | undefined,
  mask: (text: string) => string,
): OutlineTurn {
  const times = nodes.flatMap(({ time }) => time ?? []);
  return {
    index,
    uuid: start.uuid ?? null,
    lastUuid:
      nodes.findLast(({ uuid, kind }) => uuid !== undefined && (kind === "user" || kind === "assistant"))?.uuid ?? null,
    line: start.line,
    kind,
    round,
    prompt: promptLine(start.text ?? "", mask),
    startedAt: toIso(start.time),
    endedAt: times.length === 0 ? null : toIso(times.reduce((a, b) => Math.max(a, b))),
    complete: isComplete,
    interrupted: nodes.some(({ role }) => role === "interrupt"),
    calls: viewCalls(nodes, outline).map((call) => ({ ...call, name: mask(call.name) })),
    apiErrors: nodes.filter(({ role }) => role === "apiError").length,
    ...turnSpend(nodes, outline, prices),
  };
}

/** Tokens and cost of the messages in these nodes. */
export function turnSpend(
  nodes: readonly Node[],
  outline: Outline,
  prices: PriceTable | undefined,
): Pick<OutlineTurn, "usage" | "costUsd"> {
  const keys = new Set(nodes.flatMap(({ message }) => message ?? []));
  const messages = [...keys].flatMap((key) => outline.messages.get(key) ?? []).filter(isCountedMessage);
  return { usage: sumUsage(messages.map(usageOf)), costUsd: costOfSpend(spentByModel(messages), prices) };
}

export function viewCalls(nodes: readonly Node[], outline: Outline): OutlineCall[] {
  const ids = new Set(nodes.flatMap(({ calls = [] }) => calls.map(({ id }) => id)));
  return [...ids].flatMap((id) => {
    const call = outline.calls.get(id);
    if (!call) return [];
    const { name, status, startedAt = null, endedAt = null } = call;
    return { id, name, status, startedAt, endedAt };
  });
}

function viewCompactions(outline: Outline): OutlineCompaction[] {
  if (outline.compactions.length === 0) return [];
  const turnOfLine = new Map(
    outline.turns.flatMap(({ index, nodes }) => nodes.map(({ line }) => [line, index] as const)),
  );
  return outline.compactions.map(({ line, at, trigger, preTokens, postTokens }) => ({
    turn: turnOfLine.get(line) ?? 0,
    line,
    at,
    trigger,
    preTokens,
    postTokens,
  }));
}

function viewBranches(session: LoadedSession): OutlineBranch[] {
  const starts = session.outline.turns.map(({ start }) => start.line);
  return session.outline.deadBranches.map((dead, at) => {
    if (dead.leaf === null || at >= COMPARED_BRANCHES) return { ...dead, sharedTurns: null };
    const other = session.branch(dead.leaf).outline.turns;
    const apart = other.findIndex(({ start }, index) => start.line !== starts[index]);
    return { ...dead, sharedTurns: apart < 0 ? Math.min(other.length, starts.length) : apart };
  });
}

function viewSubagents(cached: CachedSession, outline: Outline): ServedSubagent[] {
  const agents = cached.once("subagents", () => cached.session.subagents());
  if (agents.length === 0) return [];
  const turnOfCall = callTurns(outline);
  return agents.map(({ path: _path, ...agent }) => ({
    ...cached.clean(agent, "sub-agents"),
    turn: turnOfCall.get(agent.toolUseId ?? "") ?? null,
  }));
}

function resumeCommandOf({ header, outline }: LoadedSession, { path }: SessionLocation): string | null {
  const folder = outline.facts.firstCwd ?? header.project;
  return folder === null ? null : resumeCommand(header.id, folder, clientRootOf(path));
}

function toIso(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
