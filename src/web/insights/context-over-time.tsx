import { formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import type { ContextPoint } from "../../server/api/context.js";
import { navigate } from "../router.js";
import { type Column, Columns, type Piece } from "./columns.js";
import { inGroups } from "./in-groups.js";

interface ContextOverTimeProps {
  readonly points: readonly ContextPoint[];
  pathTo(turn: number): string;
}

const SHOWN_TOOLS = 3;

/** A column for each turn, with a seam where the history was compacted. */
export function ContextOverTime({ points, pathTo }: ContextOverTimeProps) {
  if (points.length === 0) return null;
  const tools = largestTools(points);
  const used = new Set(
    points.flatMap((point) => toPieces(point, tools).flatMap((it) => (it.amount > 0 ? it.name : []))),
  );
  const columns = inGroups(points).map((group): Column => {
    const point = group.at(-1) ?? group[0];
    const pieces = toPieces(point, tools).filter(({ name }) => used.has(name));
    const compacted = group.find(({ compaction }) => compaction !== null)?.compaction ?? null;
    return {
      key: String(point.turn),
      label: describe(point, pieces, compacted),
      pieces,
      isSeam: compacted !== null,
      onOpen: () => navigate(pathTo(point.turn)),
    };
  });
  return (
    <Columns
      title="What filled the context at the end of each turn"
      names={(columns[0]?.pieces ?? []).map(({ name }) => name)}
      columns={columns}
      ends={[`turn ${points[0]?.turn}`, `turn ${points.at(-1)?.turn}`]}
      widest={80}
      format={(tokens) => formatTokens(Math.round(tokens))}
    />
  );
}

/** The tools whose results took most of the window; the others are one. */
function largestTools(points: readonly ContextPoint[]): string[] {
  const most = new Map<string, number>();
  for (const { toolResults } of points) {
    for (const [name, tokens] of Object.entries(toolResults)) most.set(name, Math.max(most.get(name) ?? 0, tokens));
  }
  return [...most]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN_TOOLS)
    .map(([name]) => name);
}

/** What was read again is not told twice. */
function toPieces(point: ContextPoint, tools: readonly string[]): Piece[] {
  const { system, summary, prompts, answers, thinking, toolInputs, toolResults, readAgain } = point;
  const first = (name: string) => (toolResults[name] ?? 0) - (name === "Read" ? readAgain : 0);
  const others = Object.keys(toolResults).filter((name) => !tools.includes(name));
  return [
    { name: "system and tools", amount: system },
    { name: "summary", amount: summary },
    { name: "prompts", amount: prompts },
    { name: "answers", amount: answers },
    { name: "thinking", amount: thinking },
    { name: "calls", amount: toolInputs },
    ...tools.map((name) => ({ name: `results of ${neutralize(name)}`, amount: Math.max(0, first(name)) })),
    { name: "other results", amount: others.reduce((sum, name) => sum + Math.max(0, first(name)), 0) },
    { name: "files read again", amount: readAgain },
  ];
}

function describe(point: ContextPoint, pieces: readonly Piece[], compaction: ContextPoint["compaction"]): string {
  const all = pieces.reduce((sum, { amount }) => sum + amount, 0);
  const parts = pieces.flatMap(({ name, amount }) => (amount > 0 ? `${name} ${formatTokens(amount)}` : []));
  const sizes = [compaction?.preTokens, compaction?.postTokens].flatMap((tokens) =>
    tokens == null ? [] : formatTokens(tokens),
  );
  const seam = compaction === null ? "" : `, compacted ${sizes.join(" → ")}`;
  return `turn ${point.turn}: ${formatTokens(all)} (${parts.join(", ")})${seam}`;
}
