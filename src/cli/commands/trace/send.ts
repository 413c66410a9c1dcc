import { type FilterOptions, toFilter } from "../../../app/filter-options.js";
import type { RootOptions } from "../../../app/session-roots.js";
import {
  isAllSent,
  type PreparedTraces,
  type PreviewedTurn,
  prepareTraces,
  previewTraces,
  sendTraces,
  type TraceRequest,
} from "../../../app/trace/send-traces.js";
import { writeTraceFile } from "../../../app/trace/trace-file.js";
import { readTraceSettings, requireTarget } from "../../../app/trace/trace-settings.js";
import { paintTraceTrees } from "../../../app/trace/trace-tree.js";
import { UserError } from "../../../errors.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { createStyle } from "../../../render/terminal/style.js";
import type { StoredSessions } from "../../../trace/outbox/send-sessions.js";
import type { Target } from "../../../trace/outbox/target.js";
import type { Io } from "../../io.js";
import { parseSpanFlags, type SpanFlags } from "../../options/trace-options.js";
import { describeReports, sendingProgress } from "../../report/trace-report.js";
import { isColoured } from "../../terminal/is-coloured.js";
import { printedJson } from "../../terminal/printed-json.js";
import { openPrompter } from "../../terminal/prompter.js";

export interface SendOptions extends Omit<TraceRequest, "session" | "choices">, SpanFlags {
  readonly target?: string;
  readonly dryRun?: boolean;
  readonly file?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export interface ResendOptions extends FilterOptions, RootOptions {
  readonly session?: string;
  readonly target?: string;
  readonly yes?: boolean;
}

/** Sends turns again that were sent before. False if something could not be sent. */
export async function runResend(options: ResendOptions, io: Io): Promise<boolean> {
  const { session, target, yes = false, ...filters } = options;
  const { targets } = await readTraceSettings(io, target);
  requireTarget({ targets });
  io.stderr(neutralize(targets.map((it) => `${it.name}: ${repeatsAt(it)}\n`).join("")));
  if (!yes && !(await isConfirmed(io))) {
    io.stderr("nothing was sent again\n");
    return true;
  }
  // A session that went on later has turns of the time before, so turns are chosen here and not sessions.
  const { until: _until, ...request } = filters;
  const prepared = await prepareTraces({ ...request, all: session === undefined, redact: true, session }, io);
  const until = toFilter(filters).until;
  const sent = await sendTraces(prepared, { target, which: "again", ...(until === undefined ? {} : { until }) }, io);
  await io.stdout(describeReports(sent.targets));
  return isAllSent(sent.targets);
}

async function isConfirmed(io: Io): Promise<boolean> {
  const prompter = openPrompter(io);
  try {
    return await prompter.confirm("Send these turns again?");
  } finally {
    prompter.close();
  }
}

/** What backends do with a span whose id they have. */
function repeatsAt({ kind }: Target): string {
  return kind === "langfuse"
    ? "Langfuse 3 replaces what it has. Langfuse 4 keeps both: tokens and cost count twice until it merges them"
    : "this depends on the backend: Phoenix keeps the first, Laminar the last, Tempo shows one, Jaeger shows both";
}

/** False if something could not be sent. */
export async function runSend(session: string | undefined, options: SendOptions, io: Io): Promise<boolean> {
  rejectContradictions(options);
  const prepared = await prepareTraces({ ...options, choices: parseSpanFlags(options), session }, io);
  if (options.dryRun) {
    await printPreview(prepared, io);
    return true;
  }
  if (options.file !== undefined) {
    const spans = await writeTraceFile(prepared, { path: options.file, overwrite: options.force ?? false });
    io.stderr(`${formatCount(spans, "span")} in ${options.file}\n`);
    return true;
  }
  return storeAndSend(prepared, options, io);
}

function rejectContradictions({ dryRun, file, json }: SendOptions): void {
  const ways = { "--dry-run": dryRun, "--file": file };
  const [first, second] = Object.entries(ways).flatMap(([option, value]) => (value === undefined ? [] : [option]));
  if (first !== undefined && second !== undefined) {
    throw new UserError("usage", `${first} and ${second} cannot be combined`, "remove one of them");
  }
  if (json && (dryRun || file !== undefined)) {
    throw new UserError("usage", `--json reports what was sent, and ${first} sends nothing`, "remove one of them");
  }
}

async function printPreview(prepared: PreparedTraces, io: Io): Promise<void> {
  let turns = 0;
  let spans = 0;
  const counted = function* (): Generator<PreviewedTurn> {
    for (const turn of previewTraces(prepared)) {
      turns += 1;
      spans += turn.trace.observations.length;
      yield turn;
    }
  };
  const layout = { style: createStyle(isColoured(io)), columns: io.columns };
  const { parent } = prepared;
  if (parent) await io.stdout(`children of span ${parent.spanId} in trace ${parent.traceId}:\n`);
  for (const text of paintTraceTrees(counted(), layout)) await io.stdout(text);
  io.stderr(`${formatCount(turns, "trace")}, ${formatCount(spans, "span")}; nothing was stored or sent\n`);
}

async function storeAndSend(prepared: PreparedTraces, { target, json }: SendOptions, io: Io): Promise<boolean> {
  const progress = sendingProgress(io);
  const onStored = (stored: StoredSessions) => io.stderr(`${describeStored(stored)}\n`);
  const choices = { target, onStored, onSent: progress.onSent };
  const sent = await sendTraces(prepared, choices, io).finally(progress.end);
  await io.stdout(json ? printedJson(sent, io) : describeReports(sent.targets));
  return isAllSent(sent.targets);
}

function describeStored({ sessions, turns, newSpans }: StoredSessions): string {
  return `${formatCount(sessions, "session")}, ${formatCount(turns, "turn")}: ${formatCount(newSpans, "span")} not sent before`;
}
