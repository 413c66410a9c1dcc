import { useState } from "preact/hooks";
import { formatCost, formatTokens, totalTokens } from "../../render/format-values.js";
import { modelLabel } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { Period, StatsAnswer } from "../../server/api/stats.js";
import { projectLabels } from "../labels.js";
import { type Column, Columns } from "./columns.js";

interface SpentByDayProps {
  readonly stats: StatsAnswer;
  onPeriod(period: Period): void;
}

const MEASURES = [
  ["cost", "Cost"],
  ["tokens", "Tokens"],
] as const;
const STACKS = [
  ["model", "By model"],
  ["project", "By project"],
] as const;
const MAX_NAMES = 9;
const OTHERS = "others";

/** Stacked by model or project, the most expensive at the bottom; an unknown price is dashed, not zero. */
export function SpentByDay({ stats, onPeriod }: SpentByDayProps) {
  const [measure, setMeasure] = useState<"cost" | "tokens">("cost");
  const [by, setBy] = useState<"model" | "project">("model");
  const rows = by === "model" ? byModel(stats) : byProject(stats);
  const amountOf = (row: Row) => (measure === "cost" ? row.knownCostUsd : totalTokens(row.usage));
  const format = (amount: number) => (measure === "cost" ? formatCost(amount) : formatTokens(Math.round(amount)));
  const names = namesOf(rows, amountOf);
  const { periods } = stats;
  const columns = periods.map((period): Column => {
    const own = rows.filter(({ first }) => first === period.first);
    const isUnknown = measure === "cost" && own.some(({ costUsd }) => costUsd === null);
    const sum = own.reduce((before, row) => before + amountOf(row), 0);
    return {
      key: period.first,
      label: `${nameOf(period)}: ${format(sum)}${isUnknown ? ", plus models with unknown price" : ""}`,
      pieces: names.map((name) => ({ name, amount: sumFor(own, name, names, amountOf) })),
      isUnknown,
      onOpen: () => onPeriod(period),
    };
  });
  return (
    <Columns
      title={`${measure === "cost" ? "Cost" : "Tokens"} per ${periods[0]?.unit ?? "day"}`}
      names={names}
      columns={columns}
      ends={
        periods[0]?.unit === "month" ? [monthOf(stats.from), monthOf(stats.to)] : [stats.from ?? "", stats.to ?? ""]
      }
      format={format}
    >
      <Toggle label="Measure" value={measure} options={MEASURES} onChoose={(value) => setMeasure(value)} />
      <Toggle label="Stacked by" value={by} options={STACKS} onChoose={(value) => setBy(value)} />
    </Columns>
  );
}

function nameOf({ unit, first }: Period): string {
  return unit === "day" ? first : unit === "month" ? monthOf(first) : `week of ${first}`;
}

function monthOf(day: string | null): string {
  return day?.slice(0, 7) ?? "";
}

type Row = Pick<StatsAnswer["byPeriodAndModel"][number], "first" | "usage" | "costUsd" | "knownCostUsd"> & {
  readonly name: string;
};

function byModel({ byPeriodAndModel }: StatsAnswer): Row[] {
  return byPeriodAndModel.map((row) => ({ ...row, name: neutralize(modelLabel(row.model)) }));
}

function byProject({ byPeriodAndProject }: StatsAnswer): Row[] {
  const labelOf = projectLabels(byPeriodAndProject.map(({ project }) => project));
  return byPeriodAndProject.map((row) => ({ ...row, name: neutralize(labelOf(row.project)) }));
}

/** The largest first; names beyond the number of distinct colours are combined. */
function namesOf(rows: readonly Row[], amountOf: (row: Row) => number): string[] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.name, (sums.get(row.name) ?? 0) + amountOf(row));
  const names = [...sums].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  return names.length <= MAX_NAMES ? names : [...names.slice(0, MAX_NAMES), OTHERS];
}

function sumFor(rows: readonly Row[], name: string, names: readonly string[], amountOf: (row: Row) => number): number {
  const isOthers = name === OTHERS && names.length > MAX_NAMES;
  const own = rows.filter((row) => (isOthers ? !names.includes(row.name) : row.name === name));
  return own.reduce((sum, row) => sum + amountOf(row), 0);
}

interface ToggleProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, words: string])[];
  onChoose(value: Value): void;
}

/** A choice between a few visible options. */
export function Toggle<Value extends string>({ label, value, options, onChoose }: ToggleProps<Value>) {
  return (
    <fieldset class="toggle">
      <legend class="out-of-sight">{label}</legend>
      {options.map(([option, words]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChoose(option)}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}
