import { loadOptions } from "../../../app/load-options.js";
import { sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf, readSettings } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import { stringAt, tryParseJson, valueAt } from "../../../format/json.js";
import { messagesOf } from "../../../library/catalog/library-numbers.js";
import type { MessageSpan } from "../../../library/entries/ledger.js";
import { resolveSession } from "../../../library/sources/resolve-session.js";
import { computeBlocks, type UsedBlock } from "../../../library/stats/blocks.js";
import { readStatusNumbers } from "../../../library/stats/status-numbers.js";
import { type Spent, Tally } from "../../../library/stats/tally.js";
import { openTimeZone } from "../../../library/stats/time-zone.js";
import { formatTokens } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import type { PriceTable } from "../../../session/messages/cost.js";
import type { Io } from "../../io.js";
import type { StatsCommandOptions } from "../../options/stats-options.js";
import { startDetached } from "../../start-detached.js";
import { readPiped } from "../../terminal/read-piped.js";
import { costCell } from "./stats-tables.js";

const DAY_MS = 86_400_000;
/** The current window depends on earlier ones, back to the last long pause. */
const BLOCK_HISTORY_DAYS = 3;
const NEUTRAL_LINE = "turnlog";

/** Must not fail or take long: it is shown below every prompt. */
export async function writeStatusLine(options: StatsCommandOptions, io: Io): Promise<void> {
  await io.stdout(`${await describeStatus(options, io).catch(() => NEUTRAL_LINE)}\n`);
}

async function describeStatus(options: StatsCommandOptions, io: Io): Promise<string> {
  const client = tryParseJson(await readPiped(io.stdin()));
  const roots = await sessionRoots(io, options);
  const { prices } = await loadOptions(io);
  const zone = openTimeZone(options.timezone);
  const now = Date.now();
  const session = findSession(client, roots);
  const numbers = await readStatusNumbers({
    dataFolder: dataFolderOf(io),
    roots,
    session,
    since: now - BLOCK_HISTORY_DAYS * DAY_MS,
  });
  const today = zone.startOfDay(zone.dayOf(now));
  const [recent, own] = [messagesOf(numbers.recent), messagesOf(numbers.own)];
  const ofToday = recent.filter(({ first }) => first >= today);
  const block = computeBlocks(recent, now, prices).find(
    (candidate): candidate is UsedBlock => candidate.kind === "used" && candidate.isActive,
  );
  const parts = [
    modelName(client, numbers.last?.model),
    own.length > 0 ? `${costCell(spentOn(own, prices))} session` : "",
    `${costCell(spentOn(ofToday, prices))} today`,
    block ? `block ${costCell(block)} (${formatLeft(Date.parse(block.endAt) - now)} left)` : "",
    numbers.last ? `${formatTokens(numbers.last.contextTokens)} ctx` : "",
    ...(await describeBudget(roots, session, io)),
    ...(await describeFailing(io)),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function findSession(client: unknown, roots: readonly string[]): string | undefined {
  const path = stringAt(client, "transcript_path");
  const id = stringAt(client, "session_id");
  if (path !== undefined || id === undefined) return path;
  try {
    return resolveSession(id, roots);
  } catch (error) {
    if (error instanceof UserError) return undefined; // a new session has no file yet
    throw error;
  }
}

function spentOn(messages: readonly MessageSpan[], prices: PriceTable | undefined): Spent {
  const tally = new Tally();
  for (const span of messages) tally.addMessages(span);
  return tally.spent(prices);
}

/** The budget of which most is spent. Most people have none, and then nothing is loaded for them. */
async function describeBudget(roots: readonly string[], session: string | undefined, io: Io): Promise<string[]> {
  try {
    if ((await readSettings(io)).budgets === undefined) return [];
    const { glanceAtBudgets } = await import("../../../app/budget/view-budgets.js");
    const row = await glanceAtBudgets({ roots, session }, io, () => startDetached(["budget", "refresh"], io));
    if (!row) return [];
    const { budget, share, unpricedModels } = row;
    const percent = `${unpricedModels.length > 0 ? "≥" : ""}${Math.floor(100 * share)} %`;
    return [neutralize(`${percent} of ${budget}`).replaceAll("\n", " ")];
  } catch {
    return []; // `budget` tells what is wrong
  }
}

const FAILING = {
  key: (name: string) => `${name} refuses its key`,
  request: (name: string) => `traces wait: ${name} fails`,
  spans: (name: string) => `${name} refused traces`,
};

/** Trace targets that fail now. Most people have none, and then nothing is loaded for them. */
async function describeFailing(io: Io): Promise<string[]> {
  try {
    const { trace } = await readSettings(io);
    const names = trace?.isOff ? [] : (trace?.targets ?? []).map(({ name }) => name);
    if (names.length === 0) return [];
    const { findFailing } = await import("../../../trace/outbox/failing-targets.js");
    return findFailing(dataFolderOf(io), names).map(({ name, about }) =>
      neutralize(FAILING[about](name)).replaceAll("\n", " "),
    );
  } catch {
    return []; // `doctor` tells what is wrong with the outbox
  }
}

/** `claude-opus-4-5-20251101` and `Opus 4.5` both become `opus 4.5`. */
function modelName(client: unknown, lastModel: string | null | undefined): string {
  const model = valueAt(client, "model");
  const name = stringAt(model, "display_name") ?? stringAt(model, "id") ?? lastModel ?? "";
  const plain = name
    .replace(/^claude-/, "")
    .replace(/-\d{8}$/, "")
    .replace(/-(\d+)-(\d+)$/, " $1.$2")
    .replaceAll("-", " ");
  return neutralize(plain.toLowerCase()).replaceAll("\n", " ");
}

function formatLeft(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
