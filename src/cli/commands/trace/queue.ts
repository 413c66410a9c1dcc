import { resolve } from "node:path";
import { isAllSent } from "../../../app/trace/send-traces.js";
import { testTargets } from "../../../app/trace/test-targets.js";
import { dropTraces, flushTraces, readTraceStatus, retryTraces } from "../../../app/trace/trace-queue.js";
import { switchTracing } from "../../../app/trace/trace-settings.js";
import { UserError } from "../../../errors.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import type { Io } from "../../io.js";
import {
  describeFlush,
  describeReports,
  describeStatus,
  describeTest,
  sendingProgress,
} from "../../report/trace-report.js";
import { printedJson } from "../../terminal/printed-json.js";

export interface QueueOptions {
  readonly target?: string;
  readonly queued?: boolean;
  readonly repeat?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function printStatus({ json }: QueueOptions, io: Io): Promise<void> {
  const status = await readTraceStatus(io);
  if (!json && status.targets.length === 0)
    io.stderr("no trace target is installed (`turnlog trace install` adds one)\n");
  await io.stdout(json ? printedJson(status, io) : describeStatus(status));
}

/** False if something could not be sent. */
export async function retry({ target, repeat = false }: QueueOptions, io: Io): Promise<boolean> {
  const progress = sendingProgress(io);
  const reports = await retryTraces({ target, repeat, onSent: progress.onSent }, io).finally(progress.end);
  await io.stdout(describeReports(reports));
  return isAllSent(reports);
}

export interface FlushOptions {
  readonly timeout: string;
}

/** False if something could not be sent in time. */
export async function flush({ timeout }: FlushOptions, io: Io): Promise<boolean> {
  const seconds = Number(timeout);
  if (!(seconds > 0)) throw new UserError("usage", `--timeout must be seconds, not "${timeout}"`, "for example 20");
  const flushed = await flushTraces(seconds * 1000, io);
  await io.stdout(describeFlush(flushed));
  return flushed.isAllSent;
}

export interface SwitchOptions {
  readonly project?: string | true;
}

export async function switchTraces(isOn: boolean, { project }: SwitchOptions, io: Io): Promise<void> {
  const folder = project === undefined ? undefined : resolve(io.cwd, project === true ? "." : project);
  await switchTracing(isOn, folder, io);
  const where = folder === undefined ? "" : ` for ${folder}`;
  const then = isOn
    ? "turns that end from now on are sent"
    : "nothing is sent. Turns that end while it is off are not sent later, not by `trace send --all` either; `trace resend` can";
  await io.stdout(neutralize(`tracing is ${isOn ? "on" : "off"}${where}: ${then}\n`));
}

export async function drop({ target, queued = false, yes = false }: QueueOptions, io: Io): Promise<void> {
  const spans = await dropTraces({ target, queued, dryRun: !yes }, io);
  await io.stdout(`${formatCount(spans, "span")} ${yes ? "dropped" : "would be dropped (add --yes to drop)"}\n`);
}

/** False if a target did not accept the sample. */
export async function testAll({ target }: QueueOptions, io: Io): Promise<boolean> {
  let isFine = true;
  for await (const tested of testTargets(target, io)) {
    isFine &&= tested.result.kind === "accepted";
    await io.stdout(describeTest(tested));
  }
  return isFine;
}
