import { formatCost, formatCount, formatTime, formatTokens, totalTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { ContextAnswer, ContextPoint, OutlineTurn, SessionAnswer } from "../../server/api/session.js";
import { useAnswer } from "../api.js";
import { navigate, sessionPath } from "../router.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { type Column, Columns, type Group, inGroups, type Piece } from "./columns.js";
import { Timeline } from "./timeline.js";

interface SessionInsightsProps {
  readonly session: SessionAnswer;
  readonly branch: string | null;
}

/** Context, tokens and timeline of one session. */
export function SessionInsights({ session, branch }: SessionInsightsProps) {
  const { id } = session.header;
  const fields = new URLSearchParams({ version: String(session.version), ...(branch === null ? {} : { branch }) });
  const { answer, failure } = useAnswer<ContextAnswer>(`/api/sessions/${encodeURIComponent(id)}/context?${fields}`);
  const pathTo = (turn: number) => sessionPath(id, { turn: Math.max(1, turn), branch });
  return (
    <div class="page-body insights">
      {failure ? <FailedState failure={failure} /> : null}
      {!answer && !failure ? <LoadingState /> : null}
      {answer ? <ContextOverTime points={answer.points} pathTo={pathTo} /> : null}
      <Compactions session={session} pathTo={pathTo} />
      <TokensPerTurn turns={session.turns} pathTo={pathTo} />
      <Timeline session={session} agents={answer?.agents ?? []} pathTo={pathTo} />
    </div>
  );
}

interface CompactionsProps extends Pick<SessionInsightsProps, "session"> {
  pathTo(turn: number): string;
}

function Compactions({ session: { compactions }, pathTo }: CompactionsProps) {
  if (compactions.length === 0) return null;
  return (
    <figure class="plot">
      <figcaption>{formatCount(compactions.length, "compaction")}</figcaption>
      <ul class="compactions">
        {compactions.map(({ turn, line, at, trigger, preTokens, postTokens }) => (
          <li key={line}>
            <a href={pathTo(turn)}>turn {turn}</a>, {formatTime(at)}
            {trigger === null ? "" : `, ${neutralize(trigger)}`}:{" "}
            {preTokens === null ? "unknown" : formatTokens(preTokens)} →{" "}
            {postTokens === null ? "unknown" : formatTokens(postTokens)} tokens
          </li>
        ))}
      </ul>
    </figure>
  );
}

interface ContextOverTimeProps {
  readonly points: readonly ContextPoint[];
  pathTo(turn: number): string;
}

const SHOWN_TOOLS = 3;

/** One column per turn, with a line at each compaction. */
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
      title="Context at the end of each turn"
      names={(columns[0]?.pieces ?? []).map(({ name }) => name)}
      columns={columns}
      ends={[`turn ${points[0]?.turn}`, `turn ${points.at(-1)?.turn}`]}
      widest={80}
      format={(tokens) => formatTokens(Math.round(tokens))}
    />
  );
}

/** The tools with the largest results; the others are combined. */
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

/** Repeated reads are a piece of their own, so they are subtracted from the results of Read. */
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
    { name: "repeated file reads", amount: readAgain },
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

const NAMES = ["read from cache", "written to cache", "input", "output"];

interface TokensPerTurnProps {
  readonly turns: readonly OutlineTurn[];
  pathTo(turn: number): string;
}

/** The sum over all requests of each turn. */
export function TokensPerTurn({ turns, pathTo }: TokensPerTurnProps) {
  const columns = inGroups(turns).map((group) => toColumn(group, pathTo));
  if (turns.every(({ usage }) => totalTokens(usage) === 0)) return null;
  return (
    <Columns
      title="Tokens per turn"
      names={NAMES}
      columns={columns}
      ends={[`turn ${turns[0]?.index}`, `turn ${turns.at(-1)?.index}`]}
      widest={80}
      format={(tokens) => formatTokens(Math.round(tokens))}
    />
  );
}

function toColumn(group: Group<OutlineTurn>, pathTo: TokensPerTurnProps["pathTo"]): Column {
  const sum = (amountOf: (usage: OutlineTurn["usage"]) => number) =>
    group.reduce((before, turn) => before + amountOf(turn.usage), 0);
  const amounts = [
    sum(({ cacheRead }) => cacheRead),
    sum(({ cacheWrite5m, cacheWrite1h }) => cacheWrite5m + cacheWrite1h),
    sum(({ input }) => input),
    sum(({ output }) => output),
  ];
  const [first, last] = [group[0].index, group.at(-1)?.index ?? 0];
  const costs = group.map(({ costUsd }) => costUsd);
  const cost = costs.includes(null) ? null : costs.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  const parts = NAMES.map((name, at) => `${name} ${formatTokens(amounts[at] ?? 0)}`).join(", ");
  return {
    key: String(first),
    label: `turn ${first}${last > first ? ` to ${last}` : ""}: ${formatTokens(sum(totalTokens))} (${parts}), ${formatCost(cost)}`,
    pieces: NAMES.map((name, at) => ({ name, amount: amounts[at] ?? 0 })),
    onOpen: () => navigate(pathTo(first)),
  };
}
