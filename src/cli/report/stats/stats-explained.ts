import { basename, dirname } from "node:path";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { maskingRedactor } from "../../../app/redaction.js";
import { sessionRoots } from "../../../app/session-roots.js";
import { UserError } from "../../../errors.js";
import type { UsageCounters } from "../../../format/record/usage-counters.js";
import { isBelow } from "../../../library/sources/below-roots.js";
import { type ExplainedMessage, type Explanation, explainSession } from "../../../library/stats/explain-session.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintListTable, type TableLayout } from "../../../render/terminal/lists/list-table.js";
import { createStyle } from "../../../render/terminal/style.js";
import { wrapLines } from "../../../render/terminal/wrap-lines.js";
import type { Usage } from "../../../session/messages/usage.js";
import type { Io } from "../../io.js";
import { withNumbers } from "../../library-index.js";
import type { StatsCommandOptions } from "../../options/stats-options.js";
import { isColoured } from "../../terminal/is-coloured.js";
import { printedJson } from "../../terminal/printed-json.js";

/** How the totals of a session are computed. A session outside the usual folders is read together with its neighbours. */
export async function writeExplanation(name: string, options: StatsCommandOptions, io: Io): Promise<void> {
  const usual = await sessionRoots(io, options);
  const load = await loadOptions(io);
  const { path } = chooseSession(name, usual, io, load);
  const roots = isBelow(path, usual) ? usual : [dirname(path)];
  const reading = roots === usual ? options : { ...options, index: false };
  const explanation = await withNumbers(io, roots, reading, (db) => explainSession(db, roots, path, load));
  if (!explanation)
    throw new UserError("unreadable", `nothing could be counted in ${path}`, "check it with `turnlog verify`");
  const title = options.reveal
    ? explanation.session.title
    : (await maskingRedactor(io)).text(explanation.session.title, "title");
  const shown = { ...explanation, session: { ...explanation.session, title } };
  const layout = { columns: io.columns, style: createStyle(isColoured(io)) };
  await io.stdout(options.json ? printedJson(shown, io) : paintExplanation(shown, layout));
}

/** One row: a message, one of its lines or copies, or what was counted. */
interface AuditRow {
  readonly name: string;
  readonly counters?: Counters;
  readonly cost?: string;
}

interface Counters {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number; // all of it
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
}

function paintExplanation({ session, messages, totals, countedElsewhere }: Explanation, layout: TableLayout): string {
  const { style } = layout;
  const rows = messages.flatMap((message, at) => [
    ...(message.path === messages[at - 1]?.path ? [] : [{ name: basename(message.path, ".jsonl") }]),
    ...messageRows(message),
  ]);
  const sum = {
    name: `sum of ${formatCount(totals.messages, "message")}`,
    counters: ofUsage(totals.usage),
    cost: exactCost(totals.costUsd),
  };
  const figure =
    (pick: (counters: Counters) => number) =>
    ({ counters }: AuditRow) =>
      counters ? String(pick(counters)) : "";
  const table = paintListTable<AuditRow>(
    [...rows, sum],
    [
      { title: "where", cell: ({ name }) => name, isText: true },
      { title: "input", cell: figure(({ input }) => input), dropOrder: 2 },
      { title: "output", cell: figure(({ output }) => output) },
      { title: "cache write", cell: figure(({ cacheWrite }) => cacheWrite), dropOrder: 3 },
      { title: "for 1h", cell: figure(({ cacheWrite1h }) => cacheWrite1h), dropOrder: 4 },
      { title: "cache read", cell: figure(({ cacheRead }) => cacheRead), dropOrder: 1 },
      { title: "cost", cell: ({ cost = "" }) => cost, paint: style.green },
    ],
    layout,
  );
  const elsewhere = countedElsewhere > 0 ? `${formatCount(countedElsewhere, "message")} counted in other files\n` : "";
  const fitted = (text: string) => wrapLines(text, layout.columns);
  const head = `${style.bold(fitted(neutralize(session.title)))}\n${style.dim(fitted(neutralize(session.path)))}`;
  return `${head}\n\n${table}${elsewhere}${fitted(pricesOf(messages))}`;
}

function messageRows(message: ExplainedMessage): AuditRow[] {
  const { id, model, lines, copies, usage, isCountedHere, countedIn, costUsd } = message;
  const taken = isCountedHere
    ? { name: "    taken", counters: ofUsage(usage), cost: exactCost(costUsd) }
    : { name: `    counted in ${basename(countedIn, ".jsonl")}` };
  return [
    { name: `  ${model ?? "(no model)"} ${id}` },
    ...lines.map(({ line, counters }) => ({
      name: `    line ${line}`,
      ...(counters ? { counters: ofLine(counters) } : {}),
    })),
    ...copies.map((copy) => ({ name: `    copy in ${basename(copy.path, ".jsonl")}`, counters: ofUsage(copy.usage) })),
    taken,
  ];
}

function ofLine({ input, output, cacheWrite, cacheWrite5m, cacheWrite1h, cacheRead }: UsageCounters): Counters {
  return { input, output, cacheWrite: Math.max(cacheWrite, cacheWrite5m + cacheWrite1h), cacheWrite1h, cacheRead };
}

function ofUsage({ input, output, cacheWrite5m, cacheWrite1h, cacheRead }: Usage): Counters {
  return { input, output, cacheWrite: cacheWrite5m + cacheWrite1h, cacheWrite1h, cacheRead };
}

/** To a millionth of a dollar. */
function exactCost(costUsd: number | null): string {
  return costUsd === null ? "no price" : `$${costUsd.toFixed(6)}`;
}

function pricesOf(messages: readonly ExplainedMessage[]): string {
  const lines = new Set(
    messages.flatMap(({ model, speed, price }) => {
      if (!price) return [];
      const { input, output, cacheWrite5m, cacheWrite1h, cacheRead } = price;
      const name = [model, speed].filter((part) => part).join(" ");
      return `  ${neutralize(name)}: input ${input}, output ${output}, cache write ${cacheWrite5m} (${cacheWrite1h} for 1h), cache read ${cacheRead}\n`;
    }),
  );
  return lines.size === 0 ? "" : `\nUSD per million tokens\n${[...lines].join("")}`;
}
