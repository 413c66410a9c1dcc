import { UserError } from "../../errors.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { type TraceTargetConfig, updateConfig } from "../../store/config.js";
import type { Mask } from "../../trace/outbox/send-queue.js";
import {
  installedTargets,
  readTraceKeys,
  resolveTargets,
  type Target,
  type TargetKeys,
  writeTraceKeys,
} from "../../trace/outbox/target.js";
import { loadOptions } from "../load-options.js";
import { maskingRedactor } from "../redaction.js";
import { dataFolderOf, type Environment, readSettings } from "../settings.js";

export interface TraceSettings {
  readonly dir: string;
  readonly targets: readonly Target[];
  readonly userId: string | undefined;
  readonly prices: PriceTable | undefined;
  /** For what targets answer, which is shown and stored. */
  readonly mask: Mask;
}

/** For commands that a user runs: all targets, or the named one. */
export async function readTraceSettings(environment: Environment, name?: string): Promise<TraceSettings> {
  const settings = await readSettingsWith(resolveTargets, environment);
  if (name === undefined) return settings;
  const targets = settings.targets.filter((target) => target.name === name);
  if (targets.length === 0) throw noTarget(name, settings.targets);
  return { ...settings, targets };
}

/** For the hook, which runs unasked: environment variables may be meant for another program, so they make no target. */
export function readInstalledTargets(environment: Environment): Promise<TraceSettings> {
  return readSettingsWith(installedTargets, environment);
}

async function readSettingsWith(resolve: typeof resolveTargets, environment: Environment): Promise<TraceSettings> {
  const dir = dataFolderOf(environment);
  const { trace } = await readSettings(environment);
  const { prices } = await loadOptions(environment);
  return {
    dir,
    targets: resolve(trace?.targets ?? [], environment.env, readTraceKeys(dir)),
    userId: trace?.userId,
    prices,
    mask: (await maskingRedactor(environment)).text,
  };
}

function noTarget(name: string, targets: readonly Target[]): UserError {
  const known = targets.map((target) => target.name).join(", ");
  const hint = known === "" ? "add one with `turnlog trace install`" : `the targets are ${known}`;
  return new UserError("not-found", `no trace target is called ${name}`, hint);
}

export function requireTarget({ targets }: TraceSettings): void {
  if (targets.length > 0) return;
  const hint = "add one with `turnlog trace install`; `trace send --file` and `--dry-run` work without one";
  throw new UserError("config", "no trace target is installed", hint);
}

/** A target to be installed. */
export interface TargetWithKeys {
  readonly config: TraceTargetConfig;
  /** Undefined: it needs none. */
  readonly keys: TargetKeys | undefined;
}

export async function saveTarget(
  { config, keys }: TargetWithKeys,
  userId: string | undefined,
  environment: Environment,
): Promise<void> {
  const dir = dataFolderOf(environment);
  writeTraceKeys(dir, config.name, keys);
  await updateConfig(dir, (all) => {
    const others = (all.trace?.targets ?? []).filter(({ name }) => name !== config.name);
    all.trace = { ...all.trace, targets: [...others, config], ...(userId === undefined ? {} : { userId }) };
  });
}

/** Removes all targets and their keys. */
export async function removeTargets(environment: Environment): Promise<void> {
  const dir = dataFolderOf(environment);
  const { trace } = await readSettings(environment);
  if (!trace?.targets) return;
  for (const { name } of trace.targets) writeTraceKeys(dir, name, undefined);
  await updateConfig(dir, (all) => {
    all.trace = { ...all.trace, targets: [] };
  });
}
