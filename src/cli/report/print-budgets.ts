import type { BudgetRow } from "../../app/budget/view-budgets.js";
import { formatCost } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { paintListTable, type TableLayout } from "../../render/terminal/lists/list-table.js";
import { formatPercent } from "./stats/stats-tables.js";

const BAR_CELLS = 10;

/** One line for each budget, with its last newline. */
export function paintBudgets(rows: readonly BudgetRow[], layout: TableLayout): string {
  const { style } = layout;
  const table = paintListTable<BudgetRow>(
    rows,
    [
      { title: "budget", cell: ({ budget }) => neutralize(budget), isText: true },
      { title: "", cell: ({ share }) => bar(share), isText: true, dropOrder: 3 },
      { title: "spent", cell: spentCell, paint: style.bold },
      { title: "", cell: ({ share }) => formatPercent(share), dropOrder: 1 },
      { title: "left", cell: ({ leftUsd }) => formatCost(leftUsd) },
      { title: "", cell: describeState, isText: true, dropOrder: 2 },
    ],
    layout,
  );
  const unpriced = [...new Set(rows.flatMap(({ unpricedModels }) => unpricedModels))].map(neutralize);
  const note = unpriced.length === 0 ? "" : style.dim(`no price is known for ${unpriced.join(", ")}`);
  return note === "" ? table : `${table}${note}\n`;
}

function spentCell({ spentUsd, unpricedModels }: BudgetRow): string {
  return `${unpricedModels.length > 0 ? "≥" : ""}${formatCost(spentUsd)}`;
}

function bar(share: number): string {
  const full = Math.min(BAR_CELLS, Math.floor(share * BAR_CELLS));
  return "█".repeat(full) + "░".repeat(BAR_CELLS - full);
}

function describeState({ state, hard, warnAt, sessionId }: BudgetRow): string {
  const whose = sessionId === null ? "" : ` (session ${sessionId.slice(0, 8)})`;
  if (state === "reached") return `${hard ? "reached: stops" : "reached"}${whose}`;
  if (state === "warned") return `warned at ${formatPercent(warnAt)}${whose}`;
  return `${hard ? "hard" : "soft"}, warns at ${formatPercent(warnAt)}${whose}`;
}
