import { formatCost, formatTokens, totalTokens } from "../../render/format-values.js";
import type { OutlineTurn } from "../../server/api/session.js";
import { navigate } from "../router.js";
import { type Column, Columns } from "./columns.js";
import { type Group, inGroups } from "./in-groups.js";

const NAMES = ["read from cache", "written to cache", "input", "output"];

interface TokensPerTurnProps {
  readonly turns: readonly OutlineTurn[];
  pathTo(turn: number): string;
}

/** What each turn sent and received, all its requests together. */
export function TokensPerTurn({ turns, pathTo }: TokensPerTurnProps) {
  const columns = inGroups(turns).map((group) => toColumn(group, pathTo));
  if (turns.every(({ usage }) => totalTokens(usage) === 0)) return null;
  return (
    <Columns
      title="Tokens of each turn"
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
