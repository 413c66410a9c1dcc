import { UserError } from "../../errors.js";
import { isObject, tryParseJson } from "../../format/json.js";
import { withTime } from "../../format/writer/change-record.js";
import { rewriteIds } from "../../format/writer/rewrite-ids.js";
import type { Node } from "../../session/graph/node.js";
import type { Outline } from "../../session/open-session.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import { settlePlan } from "../edit.js";
import { chainNodes, dropOrphanResults, remainingNodes } from "../plans/chain-nodes.js";
import { checkTurn, findUuid } from "../plans/clone-and-fork.js";
import { derivedUuid, type EditDraft, type EditOptions, type EditPlan, type Replace } from "../plans/edit-plan.js";
import { cutOpenTurn, type EditSource } from "../plans/edit-source.js";
import { lowerTokenCounts } from "../plans/lower-counts.js";
import { readRecordBytes } from "../write/edited-lines.js";

/** Whose turns are added, which of them, and after which turn. Turns are 1-based. */
export interface MergeWish {
  readonly from: { readonly branch: string } | { readonly other: EditSource };
  readonly turns?: { readonly from: number; readonly to: number } | undefined;
  /** Without, they come last. */
  readonly at?: number | undefined;
}

/** Turns of a side branch, or of another session, in the middle or at the end of a session. */
export function planMerge(source: EditSource, wish: MergeWish, options: EditOptions): EditPlan {
  const open = cutOpenTurn(source);
  const active = remainingNodes(source, source.outline.active, open.removed);
  const cut = cutAfter(active, wish.at, source.outline);
  const taken =
    "branch" in wish.from
      ? takeBranch(source, findUuid(source.outline, wish.from.branch), wish)
      : takeOther(source, wish.from.other, wish, active, cut, options);
  const nodes = dropOrphanResults(taken.nodes, [...active, ...taken.nodes]);
  if (nodes.length === 0) throw new UserError("not-found", "there is nothing to merge", "choose other turns");
  const branch = [...active.slice(0, cut), ...nodes, ...active.slice(cut)];
  const plan = settlePlan(source, {
    command: "merge",
    options,
    removed: open.removed,
    ...taken.draft,
    branch,
    isRelinked: true,
    leaf: branch.findLast(({ kind }) => kind === "user" || kind === "assistant")?.uuid ?? null,
    notes: [...open.notes, noteTaken(taken, wish), ...noteUnread(source, branch, nodes), ...taken.notes],
  });
  return lowerTokenCounts(plan);
}

function noteTaken({ turns }: Taken, { at }: MergeWish): string {
  return `${turns === 1 ? "1 turn comes" : `${turns} turns come`} ${at === undefined ? "last" : `after turn ${at}`}`;
}

/** Claude Code sends nothing from before the last compaction. */
function noteUnread({ outline }: EditSource, branch: readonly Node[], merged: readonly Node[]): string[] {
  const read = new Set(selectReplay({ ...outline, active: branch }).nodes);
  return merged.some((node) => read.has(node)) ? [] : ["a compaction follows them, so Claude Code does not send them"];
}

interface Taken {
  readonly nodes: readonly Node[];
  readonly turns: number;
  readonly draft: Pick<EditDraft, "foreignNodes" | "foreignSource" | "replaced">;
  readonly notes: readonly string[];
}

/** How many nodes come before what is merged. */
function cutAfter(active: readonly Node[], at: number | undefined, { turns }: Outline): number {
  if (at === undefined) return active.length;
  const next = checkTurn(at, turns.length) === turns.length ? undefined : turns[at]?.start;
  return next === undefined ? active.length : active.indexOf(next);
}

function chosenTurns({ turns }: Pick<Outline, "turns">, { turns: range }: MergeWish): Outline["turns"] {
  if (!range || turns.length === 0) return turns;
  const last = Number.isFinite(range.to) ? checkTurn(range.to, turns.length) : turns.length;
  return turns.slice(checkTurn(range.from, turns.length) - 1, last);
}

/** What the branch does not share with the live one; turns are counted from where it parts. */
function takeBranch(source: EditSource, leaf: string, wish: MergeWish): Taken {
  const shared = new Set(source.outline.active);
  const { turns, active } = source.viewBranch(leaf);
  const own = turns.filter(({ nodes }) => nodes.some((node) => !shared.has(node)));
  const asked = chosenTurns({ turns: own }, wish);
  const fresh = withoutKnown(asked, source.outline.active);
  const chosen = new Set(fresh.flatMap(({ nodes }) => nodes));
  const nodes = active.filter((node) => chosen.has(node) && !shared.has(node) && isMerged(node));
  return { nodes, turns: fresh.length, draft: {}, notes: noteKnown(asked.length - fresh.length) };
}

/** Without turns that a fork or a resume copied: their messages are on the branch already, in other records. */
function withoutKnown(turns: Outline["turns"], branch: readonly Node[]): Outline["turns"] {
  const present = new Set(branch.flatMap(({ message }) => message ?? []));
  const shared = new Set(branch);
  const isKnown = (node: Node) => node.message !== undefined && present.has(node.message) && !shared.has(node);
  return turns.filter(({ nodes }) => !nodes.some(isKnown));
}

function noteKnown(turns: number): string[] {
  return turns === 0 ? [] : [`${turns} of these turns are already in the session and omitted`];
}

function takeOther(
  source: EditSource,
  other: EditSource,
  wish: MergeWish,
  active: readonly Node[],
  cut: number, // how many nodes of `active` come before the merged ones
  options: EditOptions,
): Taken {
  const isLast = cut === active.length;
  const open = cutOpenTurn(other);
  const asked = chosenTurns(other.outline, wish);
  const own = withoutKnown(asked, active);
  const chosen = own.flatMap(({ nodes }) => nodes);
  const nodes = chainNodes(remainingNodes(other, chosen, open.removed)).order.filter(isMerged);
  // Older versions of Claude Code take the latest time as the end.
  let time = latestTime(isLast ? source.records : active.slice(0, cut));
  const foreignNodes = new Map(
    nodes.map((node) => {
      const foreign: Node = { ...node, offset: -1, uuid: derivedUuid(options.id, `${other.id}/${node.uuid}`) };
      time = isLast ? Math.max(time + 1, node.time ?? 0) : time + 1;
      const row = toRow(other, node, { session: options.id, uuid: foreign.uuid ?? "", replace: withTime(time) });
      return [foreign, { row, contextBytes: other.recordOf(node)?.contextBytes ?? 0 }] as const;
    }),
  );
  const known = noteKnown(asked.length - own.length);
  const notes = [...open.notes, ...known, `sub-agents and spilled output of ${other.id} stay with that session`];
  return { nodes: [...foreignNodes.keys()], turns: own.length, draft: { foreignNodes, foreignSource: other }, notes };
}

/** Only what every version of Claude Code follows, and no compactions: they summarize other records. */
function isMerged({ kind, role, uuid }: Node): boolean {
  const isFollowed = kind === "user" || kind === "assistant" || kind === "system" || kind === "attachment";
  return isFollowed && uuid !== undefined && role !== "boundary" && role !== "compactSummary";
}

function toRow(
  other: EditSource,
  node: Node,
  { session, uuid, replace }: { readonly session: string; readonly uuid: string; readonly replace: Replace },
) {
  return (parentUuid: string | null) => {
    const record = other.recordOf(node);
    const bytes = record ? readRecordBytes(other.path, record) : Buffer.from("{}");
    const known = other.outline.uuids;
    const rewritten = rewriteIds(bytes, {
      source: other.id,
      session,
      marksOrigin: true,
      of: (id) => (known.has(id) ? derivedUuid(session, `${other.id}/${id}`) : id),
      survivor: (id) => id,
      parent: () => undefined,
    });
    const raw = tryParseJson(rewritten.toString("utf8"));
    return { ...replace(isObject(raw) ? raw : {}), uuid, parentUuid };
  };
}

function latestTime(timed: readonly { readonly time?: number | undefined }[]): number {
  return timed.reduce((latest, { time }) => Math.max(latest, time ?? 0), 0);
}
