import { UserError } from "../../errors.js";
import { includesText, isOfProject } from "../load/session-summary.js";
import { addDays, monthOf, type TimeZone, weekOf } from "../stats/time-zone.js";

/** A limit of what sessions may spend. Of one `per` and `project` there is one. */
export interface Budget {
  readonly usd: number;
  readonly per: Period;
  /** Null: of all projects. */
  readonly project: string | null;
  /** The share at which a warning comes, 0 to 1. */
  readonly warnAt: number;
  /** Stops prompts and tool calls when it is reached. */
  readonly isHard: boolean;
}

export const PERIODS = ["session", "day", "week", "month", "total"] as const;
export type Period = (typeof PERIODS)[number];

export const DEFAULT_WARN_AT = 0.8;

/** `20/day` */
export function parseAmount(text: string): Pick<Budget, "usd" | "per"> {
  const [, usd = "", name = ""] = /^\$?(\d{1,9}(?:\.\d{1,4})?)\s*\/\s*([a-z]+)$/i.exec(text.trim()) ?? [];
  const per = parsePeriod(name);
  if (per && Number(usd) > 0) return { usd: Number(usd), per };
  throw new UserError(
    "usage",
    `a budget is an amount in USD per ${PERIODS.join(", ")}, not "${text}"`,
    "for example 20/day, or 5/session",
  );
}

export function parsePeriod(name: string): Period | undefined {
  return PERIODS.find((period) => period === name.toLowerCase());
}

/** `80%` or `0.8` */
export function parseShare(text: string): number {
  const [, number = "", percent] = /^(\d{1,3}(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const share = Number(number) / (percent === "%" ? 100 : 1);
  if (number !== "" && share > 0 && share <= 1) return share;
  throw new UserError("usage", `--warn is a share of the budget, not "${text}"`, "for example --warn 80%");
}

/** Two budgets of which one replaces the other. */
export function isSameBudget(a: Pick<Budget, "per" | "project">, b: Pick<Budget, "per" | "project">): boolean {
  const isPart = (text: string | null, other: string | null) => text === null || includesText(other ?? "", text);
  return a.per === b.per && isPart(a.project, b.project) && isPart(b.project, a.project);
}

/** As `--project` of the other commands. */
export function isBudgetOf({ project: wanted }: Pick<Budget, "project">, project: string | null): boolean {
  return wanted === null || isOfProject(project, wanted);
}

/** The time a budget is for. */
export interface Window {
  /** `2026-11-19`, `2026-W47`, `2026-11`; "" for all time. */
  readonly name: string;
  readonly since: number | null; // ms since the epoch
  readonly until: number | null;
}

const ALWAYS: Window = { name: "", since: null, until: null };

/** Days, weeks and months as the statistics have them. */
export function windowAt(per: Period, now: number, zone: TimeZone): Window {
  const nameOf = NAMES[per];
  if (!nameOf) return ALWAYS;
  const today = zone.dayOf(now);
  const name = nameOf(today);
  const isIn = (day: string) => nameOf(day) === name;
  const [first, next] = [edge(today, -1, isIn), addDays(edge(today, 1, isIn), 1)];
  return { name, since: zone.startOfDay(first), until: zone.startOfDay(next) };
}

const NAMES: Readonly<Partial<Record<Period, (day: string) => string>>> = {
  day: (day) => day,
  week: weekOf,
  month: monthOf,
};

/** The first or last day around a day that `isIn`. */
function edge(day: string, step: -1 | 1, isIn: (day: string) => boolean): string {
  const next = addDays(day, step);
  return isIn(next) ? edge(next, step, isIn) : day;
}
