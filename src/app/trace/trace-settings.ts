import { UserError } from "../../errors.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { type Config, type TraceTargetConfig, updateConfig } from "../../store/config.js";
import type { SwitchedOff } from "../../trace/hook/off-projects.js";
import { withOutbox } from "../../trace/outbox/outbox.js";
import type { Mask } from "../../trace/outbox/send-request.js";
import { resolveTarget, type Target } from "../../trace/outbox/target.js";
import {
  type KeyPlaces,
  readHashKey,
  readTraceKeys,
  type TargetKeys,
  writeTraceKeys,
} from "../../trace/outbox/trace-keys.js";
import { maskingRedactor } from "../redaction.js";
import { dataFolderOf, type Environment, ownPrices, readSettings } from "../settings.js";
import { type CheckedTarget, checkTarget } from "./check-target.js";

export interface TraceSettings {
  readonly dir: string;
  readonly targets: readonly Target[];
  readonly userId: string | undefined;
  readonly prices: PriceTable | undefined;
  readonly switchedOff: SwitchedOff;
  /** For what targets answer, which is shown and stored. */
  readonly mask: Mask;
}

/** All installed targets, or the named one. Variables of the environment make none: they may be meant for another program. */
export async function readTraceSettings(environment: Environment, name?: string): Promise<TraceSettings> {
  const dir = dataFolderOf(environment);
  const { trace } = await readSettings(environment);
  const prices = await ownPrices(environment); // and not the user's titles: `doctor` looks at their file without using it
  const targets = resolveTargets(trace, dir);
  const chosen = name === undefined ? targets : targets.filter((target) => target.name === name);
  if (name !== undefined && chosen.length === 0) throw noTarget(name, targets);
  const mask: Mask = (await maskingRedactor(environment)).text;
  return {
    dir,
    targets: chosen.map((target) => maskSettings(target, mask)),
    userId: trace?.userId && mask(trace.userId),
    prices,
    switchedOff: { isOff: trace?.isOff, off: trace?.off },
    mask,
  };
}

/** What each turn carries is in a file that people write, too. */
function maskSettings(target: Target, mask: Mask): Target {
  const { userId, environment, release, serviceName } = target;
  const maskAll = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [mask(key), mask(value)]));
  return {
    ...target,
    userId: userId && mask(userId),
    environment: environment && mask(environment),
    release: release && mask(release),
    serviceName: mask(serviceName),
    metadata: maskAll(target.metadata),
    resource: maskAll(target.resource),
  };
}

function resolveTargets(trace: Config["trace"], dir: string): Target[] {
  const installed = trace?.targets ?? [];
  if (installed.length === 0) return [];
  const keys = readTraceKeys(dir);
  const hashKey = installed.some(({ content }) => content === "none") ? readHashKey(dir) : "";
  return installed.map((target) => resolveTarget(target, keys, hashKey));
}

/** What `trace send` was told about all targets; else each target's own settings. */
export type SpanChoices = Partial<Pick<Target, "attributes" | "content" | "input">>;

export function withChoices(target: Target, choices: SpanChoices, dir: string): Target {
  const { attributes = target.attributes, content = target.content, input = target.input } = choices;
  const hashKey = content === "none" ? readHashKey(dir) : target.hashKey;
  return { ...target, attributes, content, input, hashKey };
}

/** A target as a preview or a file needs it, without its keys: the named one, else the first, else a plain one. */
export async function readPreviewTarget(
  name: string | undefined,
  choices: SpanChoices,
  environment: Environment,
): Promise<Target> {
  const { trace } = await readSettings(environment);
  const all = (trace?.targets ?? []).map((target) => resolveTarget(target));
  const chosen = name === undefined ? all[0] : all.find((target) => target.name === name);
  if (name !== undefined && !chosen) throw noTarget(name, all);
  const resolved = chosen ?? resolveTarget(PLAIN);
  const userId = resolved.userId ?? trace?.userId ?? null;
  return { ...withChoices(resolved, choices, dataFolderOf(environment)), userId };
}

const PLAIN: TraceTargetConfig = { name: "plain", kind: "otlp", endpoint: "http://localhost:4318" };

function noTarget(name: string, targets: readonly Target[]): UserError {
  const known = targets.map((target) => target.name).join(", ");
  const hint = known === "" ? "add one with `turnlog trace install`" : `the targets are ${known}`;
  return new UserError("not-found", `no trace target is called ${name}`, hint);
}

export function requireTarget({ targets }: Pick<TraceSettings, "targets">): void {
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

/** Whether the backend takes the keys of a target that is to be installed. */
export async function checkKeys(
  { config, keys = {} }: TargetWithKeys,
  environment: Environment,
): Promise<CheckedTarget> {
  const target = resolveTarget(config, { [config.name]: keys });
  return checkTarget(target, (await maskingRedactor(environment)).text);
}

export interface SavedTarget extends KeyPlaces {
  readonly target: Target;
  /** Spans that waited for the target of this name at another address or account, and now wait for this one. */
  readonly waiting: number;
}

const KEPT_IN_PLACE: KeyPlaces = { keychain: null, refusedBy: null };

export async function saveTarget(
  { config, keys }: TargetWithKeys,
  isSameAccount: boolean,
  environment: Environment,
): Promise<SavedTarget> {
  const dir = dataFolderOf(environment);
  // Those that the keychain does not give now stay where they are.
  const areKept = keys?.problem !== undefined;
  const places = areKept ? KEPT_IN_PLACE : writeTraceKeys(dir, config.name, keys, environment.env);
  await updateConfig(dir, (all) => {
    const others = (all.trace?.targets ?? []).filter(({ name }) => name !== config.name);
    all.trace = { ...all.trace, targets: [...others, config] };
  });
  const target = resolveTarget(config, keys === undefined ? {} : { [config.name]: keys });
  const waiting = await withOutbox(dir, (outbox) => {
    const ledger = outbox.ledgerOf(target, { isSameAccount });
    const counts = outbox.counts().filter((count) => count.ledger === ledger && count.signal === "traces");
    const queued = counts.filter(({ state }) => state === "queued");
    return queued.reduce((sum, { spans }) => sum + spans, 0);
  });
  return { ...places, target, waiting };
}

/** Removes all targets, or one, and their keys. Returns their names. */
export async function removeTargets(name: string | undefined, environment: Environment): Promise<readonly string[]> {
  const { dir, targets } = await readTraceSettings(environment, name);
  if (targets.length === 0) return [];
  await withOutbox(dir, (outbox) => {
    for (const target of targets) outbox.closeLedger(outbox.ledgerOf(target));
  });
  const names = targets.map((target) => target.name);
  for (const removed of names) writeTraceKeys(dir, removed, undefined);
  await updateConfig(dir, (all) => {
    all.trace = { ...all.trace, targets: (all.trace?.targets ?? []).filter((target) => !names.includes(target.name)) };
  });
  return names;
}

/** Switches tracing on or off: for a project, or for all. */
export async function switchTracing(
  isOn: boolean,
  project: string | undefined,
  environment: Environment,
): Promise<SwitchedOff> {
  const { trace } = await updateConfig(dataFolderOf(environment), (all) => {
    const { isOff: _off, off = [], ...trace } = all.trace ?? {};
    if (project === undefined) {
      all.trace = { ...trace, off, ...(isOn ? {} : { isOff: true }) };
      return;
    }
    const others = off.filter((folder) => folder !== project);
    all.trace = { ...all.trace, off: isOn ? others : [...others, project] };
  });
  return { isOff: trace?.isOff, off: trace?.off };
}
