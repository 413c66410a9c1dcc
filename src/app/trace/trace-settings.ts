import { UserError } from "../../errors.js";
import type { PriceTable } from "../../session/cost.js";
import type { ContentChoice } from "../../trace/prepare-content.js";
import { resolveTargets, type Target } from "../../trace/target.js";
import { ATTRIBUTE_CHOICES, type AttributeChoice } from "../../trace/to-spans.js";
import { readTraceKeys } from "../../trace/trace-keys.js";
import type { Io } from "../io.js";
import { loadOptions } from "../load-options.js";
import { readSettings, settingsFolder } from "../settings.js";

export interface TraceSettings {
  readonly dir: string;
  readonly targets: readonly Target[];
  readonly userId: string | undefined;
  readonly prices: PriceTable | undefined;
}

/** The targets, all or the one that is named. */
export async function readTraceSettings(io: Io, name?: string): Promise<TraceSettings> {
  const dir = settingsFolder(io);
  const { trace } = await readSettings(io);
  const { prices } = await loadOptions(io);
  const targets = resolveTargets(trace?.targets ?? [], io.env, readTraceKeys(dir));
  const chosen = name === undefined ? targets : targets.filter((target) => target.name === name);
  if (name !== undefined && chosen.length === 0) throw noTarget(name, targets);
  return { dir, targets: chosen, userId: trace?.userId, prices };
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
