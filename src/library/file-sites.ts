import { isFileTool } from "../format/file-call.js";
import type { Place } from "../format/record.js";
import { readRecordsAt } from "../format/record-reader.js";
import { callTurns } from "../session/call-turns.js";
import { inlineAgents } from "../session/inline-agents.js";
import { listAt } from "../session/list-at.js";
import { bodyPlace, type Node } from "../session/node.js";
import type { Outline } from "../session/outline.js";
import { pairToolCalls, type ToolCall } from "../session/pair-tool-calls.js";
import type { ToolStatus } from "../session/tool-status.js";
import { type LoadedSession, loadSession } from "./load-session.js";
import { skipUnreadable } from "./skip-unreadable.js";

/** A call that may be about files: where its records lie, when it ended, in which turn of the session. */
export interface FileSite {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly transcript: string;
  readonly call: Place;
  readonly results: readonly Place[];
  readonly turn: number; // 0: before the first
  readonly agentId: string | null;
  readonly time: number; // ms since the epoch; never earlier than that of the call before
}

export interface SiteCall {
  readonly call: ToolCall;
  readonly cwd: string | null;
}

export const SHELL_TOOL = "Bash";

/** Of the session and its sub-agents, in the order of time. */
export function listFileSites(session: LoadedSession): FileSite[] {
  const turnAt = turnFinder(session.outline);
  const own = sitesIn({ transcript: session.path, outline: session.outline, agentId: null }, () => undefined);
  const turnOf = callTurns(session.outline);
  const others = listAgents(session).flatMap((agent) =>
    sitesIn(agent, (time) => turnAt(time) ?? turnOf.get(agent.toolUseId ?? "")),
  );
  return [...own, ...others].sort((a, b) => a.time - b.time);
}

/** The turn that was the latest at a time. */
export function turnFinder({ turns }: Outline): (time: number) => number | undefined {
  return (time) => (Number.isNaN(time) ? undefined : turns.findLast(({ start }) => (start.time ?? 0) <= time)?.index);
}

/** The call with its results, or alone where only its input matters; undefined where a file was cut since it was read. */
export function readSiteCall(
  { id, transcript, call, results, status }: FileSite,
  part: "whole" | "input",
): SiteCall | undefined {
  const records = [...readRecordsAt(transcript, part === "whole" ? [call, ...results] : [call])];
  const found = pairToolCalls(records).toolCalls.find((paired) => paired.id === id);
  if (!found) return undefined;
  const cwd = records.find((record) => record.kind === "assistant")?.cwd ?? null;
  return { call: part === "whole" ? found : { ...found, status }, cwd };
}

interface Source {
  readonly transcript: string;
  readonly outline: Outline;
  readonly agentId: string | null;
}

/** One that cannot be read hides none of the others. */
function listAgents(session: LoadedSession): (Source & { readonly toolUseId: string | null })[] {
  const inline = new Map(inlineAgents(session.outline).map(({ agentId, outline }) => [agentId, outline]));
  return session.subagents().flatMap(({ agentId, path, toolUseId }) => {
    const own = path === session.path ? inline.get(agentId) : undefined;
    const outline = own ?? skipUnreadable(path, [], () => loadSession(path).outline);
    return outline ? [{ agentId, toolUseId, transcript: path, outline }] : [];
  });
}

function sitesIn({ transcript, outline, agentId }: Source, turnAt: (time: number) => number | undefined): FileSite[] {
  const results = new Map<string, Place[]>();
  for (const node of outline.active) {
    for (const { id } of node.results ?? []) listAt(results, id).push(bodyPlace(node));
  }
  const sites: FileSite[] = [];
  let time = Number.NEGATIVE_INFINITY;
  for (const { turn, node, id, name } of fileCalls(outline)) {
    const sketch = outline.calls.get(id);
    time = Math.max(time, sketch?.endedAt ?? sketch?.startedAt ?? time);
    const status = sketch?.status ?? "orphan";
    const places = { transcript, call: bodyPlace(node), results: results.get(id) ?? [] };
    sites.push({ id, name, status, ...places, turn: agentId === null ? turn : (turnAt(time) ?? 0), agentId, time });
  }
  return sites;
}

function* fileCalls({ preamble, turns }: Outline): Generator<{ turn: number; node: Node; id: string; name: string }> {
  const seen = new Set<string>();
  for (const { index, nodes } of [{ index: 0, nodes: preamble.nodes }, ...turns]) {
    for (const node of nodes.filter(({ role }) => role !== "injectedAnswer")) {
      for (const { id, name } of node.calls ?? []) {
        if (seen.has(id) || (!isFileTool(name) && name !== SHELL_TOOL)) continue;
        seen.add(id);
        yield { turn: index, node, id, name };
      }
    }
  }
}
