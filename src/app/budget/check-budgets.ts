import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf } from "../../errors.js";
import { owningSessionFile } from "../../format/layout/session-paths.js";
import { type Budget, isBudgetOf } from "../../library/budget/budget.js";
import { type BudgetQuestion, type BudgetState, judgeBudgets } from "../../library/budget/judge-budgets.js";
import { noteFile, projectOf } from "../../library/budget/note-file.js";
import { isToldFirst, noteAsking, readMeta, spentDatabase } from "../../library/budget/spent-database.js";
import { openArchive } from "../../library/found-session.js";
import { filesOfSession } from "../../library/sources/walk-library.js";
import { openTimeZone } from "../../library/stats/time-zone.js";
import { formatCost } from "../../render/format-values.js";
import { readConfigUnchecked } from "../../store/config.js";
import { DamagedDatabase, fileOf, openOwn } from "../../store/own-database.js";
import type { Database } from "../../store/sqlite.js";
import { sessionRoots } from "../session-roots.js";
import { dataFolderOf, type Environment, ownPrices } from "../settings.js";
import { describeBudget, toBudgets } from "./budget-settings.js";
import { endPass, takePass } from "./pass-once.js";

/** Claude Code asks before it takes a prompt or runs a tool. */
export interface BudgetEvent {
  readonly kind: "prompt" | "tool";
  readonly session: string; // its id
  readonly transcript: string; // need not exist yet
  readonly cwd: string | null;
}

/** Has another process look at all files. */
export interface Refreshing {
  start(): void;
  readonly patienceMs?: number;
}

/** `stop`: the prompt is not taken, or the turn ends. */
export interface BudgetAnswer {
  readonly kind: "silent" | "tell" | "stop";
  readonly text: string;
}

const SILENT: BudgetAnswer = { kind: "silent", text: "" };

/**
 * From the sum as it is, and the new bytes of the session and of others that asked lately. A sum that is not known, or too old, is
 * waited for a moment. Then a soft budget lets everything pass and says so, and a hard one stops.
 */
export async function checkBudgets(
  event: BudgetEvent,
  environment: Environment,
  refreshing: Refreshing,
): Promise<BudgetAnswer> {
  const dataFolder = dataFolderOf(environment);
  const settings = readConfigUnchecked(dataFolder);
  const budgets = toBudgets(settings);
  if (budgets.length === 0) return SILENT;
  if (event.kind === "prompt") endPass(dataFolder, event.session);
  const answer = await new BudgetCheck(event, budgets, { ...environment, settings }, refreshing).answer();
  if (answer.kind !== "stop" || !takePass(dataFolder, event.session)) return answer;
  return event.kind === "prompt" ? tell("this prompt passes once, although a hard budget would stop it") : SILENT;
}

function tell(text: string): BudgetAnswer {
  return { kind: "tell", text: `turnlog: ${text}` };
}

function stop(text: string): BudgetAnswer {
  return { kind: "stop", text: `turnlog: ${text}` };
}

/** What was spent, or why that is not known. */
type Look =
  | { readonly states: readonly BudgetState[]; readonly told: readonly BudgetState[] }
  | { readonly problem: string };

const HARD_PATIENCE_MS = 3000;
const SOFT_PATIENCE_MS = 1000;
const POLL_MS = 50;
/** All files are looked at again so often while sessions run, by another process. */
export const REFRESH_MS = 60_000;
/** An older sum may lack what was spent where no hook ran. */
const KNOWN_MS = 5 * 60_000;
/** More new bytes of a session than this are left to that process. */
export const MAX_BYTES = 64_000_000;

class BudgetCheck {
  constructor(
    private readonly event: BudgetEvent,
    private readonly budgets: readonly Budget[],
    private readonly environment: Environment,
    private readonly refreshing: Refreshing,
  ) {}

  async answer(): Promise<BudgetAnswer> {
    const look = await this.#wait().catch((error) => ({ problem: reasonOf(error) }));
    if ("problem" in look) return this.#unknown(look.problem);
    const stopping = look.states.find(isStopping);
    if (stopping) return stop(`${describeStop(stopping)} \`turnlog budget override\` lets one prompt pass.`);
    if (look.told.length === 0) return SILENT;
    return tell(look.told.map(describeState).join("; "));
  }

  #unknown(problem: string): BudgetAnswer {
    const { kind, cwd } = this.event;
    const hard = this.budgets.find((budget) => budget.isHard && (cwd === null || isBudgetOf(budget, cwd)));
    const why = `what was spent is not known (${problem})`;
    if (hard)
      return stop(
        `nothing runs, because ${why} and the budget of ${describeBudget(hard)} is a hard one. ` +
          "Try again in a moment; `turnlog budget override` lets one prompt pass.",
      );
    return kind === "prompt" ? tell(`the budgets are not checked, because ${why}`) : SILENT;
  }

  async #wait(): Promise<Look> {
    const { dataFolder, roots, question } = await this.#settings();
    const isHard = this.budgets.some((budget) => budget.isHard);
    const usual = isHard ? HARD_PATIENCE_MS : this.event.kind === "prompt" ? SOFT_PATIENCE_MS : 0;
    const until = performance.now() + (this.refreshing.patienceMs ?? usual);
    for (let isAsked = false; ; isAsked = true) {
      const look = await this.#look(dataFolder, roots, question, isAsked);
      if (!("problem" in look) || performance.now() >= until) return look;
      await sleep(POLL_MS);
    }
  }

  async #settings() {
    const roots = await sessionRoots(this.environment, {});
    const prices = await ownPrices(this.environment);
    const question = { now: Date.now(), zone: openTimeZone(), prices };
    return { dataFolder: dataFolderOf(this.environment), roots, question };
  }

  async #look(
    dataFolder: string,
    roots: readonly string[],
    question: Omit<BudgetQuestion, "session">,
    isAsked: boolean,
  ): Promise<Look> {
    const askFor = (problem: string): Look => {
      if (!isAsked) this.refreshing.start();
      return { problem };
    };
    try {
      const own = spentDatabase(dataFolder, roots);
      if (fileOf(own.path) === "") return askFor("it is added up for the first time");
      const { database } = openOwn(own);
      try {
        return await this.#lookInto(database, dataFolder, question, askFor);
      } finally {
        database.close();
      }
    } catch (error) {
      if (error instanceof DamagedDatabase) return askFor("its sum was damaged and is made again");
      throw error;
    }
  }

  async #lookInto(
    db: Database,
    dataFolder: string,
    question: Omit<BudgetQuestion, "session">,
    askFor: (problem: string) => Look,
  ): Promise<Look> {
    const refreshed = readMeta(db, "refreshed");
    if (refreshed === undefined) return askFor("it is added up for the first time");
    const path = owningSessionFile(this.event.transcript);
    const archive = openArchive(dataFolder);
    for (const file of filesOfSession(path, archive)) {
      if (!(await noteFile(db, file, MAX_BYTES))) return askFor("this session is being read");
    }
    for (const file of noteAsking(db, path).flatMap((other) => filesOfSession(other, archive))) {
      if (!(await noteFile(db, file, MAX_BYTES))) askFor("");
    }
    const session = { path, project: projectOf(db, path) ?? this.event.cwd };
    const states = judgeBudgets(db, this.budgets, { ...question, session });
    const age = Math.abs(question.now - refreshed);
    const needsAll = states.some(({ budget }) => budget.per !== "session");
    if (needsAll && age > KNOWN_MS) return askFor("it is brought up to date");
    if (needsAll && age > REFRESH_MS) askFor("");
    return { states, told: states.filter((state) => this.#isTold(db, state)) };
  }

  /** Once for each session and level; that a budget is spent with each prompt. */
  #isTold(db: Database, { budget, window, level, unpricedModels }: BudgetState): boolean {
    const isUnpriced = unpricedModels.length > 0;
    if (level === "fine" && !isUnpriced) return false;
    const what = [budget.per, budget.project ?? "", window.name, budget.usd, level, isUnpriced].join("\n");
    const isFirst = isToldFirst(db, this.event.session, what);
    return isFirst || (level === "reached" && this.event.kind === "prompt");
  }
}

function isStopping({ budget, level, unpricedModels }: BudgetState): boolean {
  return budget.isHard && (level === "reached" || unpricedModels.length > 0);
}

function describeStop(state: BudgetState): string {
  const { budget, level, spentUsd, unpricedModels } = state;
  if (level === "reached") return `the hard budget of ${describeBudget(budget)} is spent (${formatCost(spentUsd)}).`;
  const models = unpricedModels.join(", ");
  return `nothing runs, because what ${models} cost is not known and the budget of ${describeBudget(budget)} is a hard one. Name prices with pricesFile in config.json.`;
}

function describeState({ budget, level, spentUsd, share, unpricedModels }: BudgetState): string {
  const unknown = unpricedModels.length > 0 ? `, without ${unpricedModels.join(", ")}, whose price is not known` : "";
  if (level === "reached")
    return `the budget of ${describeBudget(budget)} is spent (${formatCost(spentUsd)}${unknown})`;
  const percent = Math.floor(100 * share);
  return `${formatCost(spentUsd)} of the budget of ${describeBudget(budget)} is spent (${percent} %${unknown})`;
}
