import { UserError } from "../../errors.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { installedTargets, readTraceKeys, resolveTargets, type Target } from "../../trace/outbox/target.js";
import type { ContentChoice } from "../../trace/spans/prepare-content.js";
import { ATTRIBUTE_CHOICES, type AttributeChoice } from "../../trace/spans/to-spans.js";
import type { Io } from "../io.js";
import { loadOptions } from "../load-options.js";
import { dataFolderOf, readSettings } from "../settings.js";

export interface TraceSettings {
  readonly dir: string;
  readonly targets: readonly Target[];
  readonly userId: string | undefined;
  readonly prices: PriceTable | undefined;
}

/** For commands that a person runs: the targets, all or the one that is named. */
export async function readTraceSettings(io: Io, name?: string): Promise<TraceSettings> {
  const settings = await readSettingsWith(resolveTargets, io);
  if (name === undefined) return settings;
  const targets = settings.targets.filter((target) => target.name === name);
  if (targets.length === 0) throw noTarget(name, settings.targets);
  return { ...settings, targets };
}

/** For the hook, which runs without anyone asking: variables that were set for another program make no target. */
export function readInstalledTargets(io: Io): Promise<TraceSettings> {
  return readSettingsWith(installedTargets, io);
}

async function readSettingsWith(resolve: typeof resolveTargets, io: Io): Promise<TraceSettings> {
  const dir = dataFolderOf(io);
  const { trace } = await readSettings(io);
  const { prices } = await loadOptions(io);
  return { dir, targets: resolve(trace?.targets ?? [], io.env, readTraceKeys(dir)), userId: trace?.userId, prices };
}

function noTarget(name: string, targets: readonly Target[]): UserError {
  const known = targets.map((target) => target.name).join(", ");
  const hint = known === "" ? "`turnlog trace install` adds one" : `there is ${known}`;
  return new UserError("not-found", `there is no trace target ${name}`, hint);
}

export function refuseWithoutTarget({ targets }: TraceSettings): void {
  if (targets.length > 0) return;
  const hint = "`turnlog trace install --langfuse` or `--otlp <endpoint>` adds one; --file and --dry-run need none";
  throw new UserError("config", "there is no trace target", hint);
}

export function parseAttributes(text: string): AttributeChoice {
  const choice = ATTRIBUTE_CHOICES.find((known) => known === text);
  if (choice) return choice;
  throw new UserError("usage", `unknown attributes: ${text}`, `choose ${ATTRIBUTE_CHOICES.join(", ")}`);
}

const CONTENT_CHOICES: readonly ContentChoice[] = ["all", "prompts", "none"];

export function parseContent(text: string): ContentChoice {
  const choice = CONTENT_CHOICES.find((known) => known === text);
  if (choice) return choice;
  throw new UserError("usage", `unknown content: ${text}`, `choose ${CONTENT_CHOICES.join(", ")}`);
}
