import * as z from "zod";
import { toForkPoint, toPruneOptions } from "../../app/edit/edit-flags.js";
import type { MakePlan, PrepareOptions } from "../../app/edit/prepare-edit.js";
import { redactedPlan } from "../../app/edit/redacted-plan.js";
import { uncompactPlan } from "../../app/edit/uncompact.js";
import { exportRedactor } from "../../app/redaction.js";
import type { Environment } from "../../app/settings.js";
import { planCompress } from "../../edit/compress/plan-compress.js";
import { planClone, planFork } from "../../edit/plans/clone-and-fork.js";
import { planPrune } from "../../edit/prune/plan-prune.js";
import { PRUNE_PRESETS, type PrunePreset } from "../../edit/prune/prune-presets.js";
import { planRepair } from "../../edit/repair/plan-repair.js";
import type { RedactionReport } from "../../redact/tally.js";
import type { EditMark } from "../../session/choose-title.js";
import type { EditCommand, EditRequest } from "../api/edit.js";
import { checkShape } from "../http/read-request.js";

export interface ChosenEdit {
  readonly makePlan: MakePlan;
  /** Appended to the title. */
  readonly mark: EditMark;
  readonly reading?: Pick<PrepareOptions, "readsWhole" | "sketchesBodies">;
  /** What was redacted, after writing; undefined for edits that do not redact. */
  redaction?(): RedactionReport;
}

type Choose = (flags: unknown, io: Environment) => ChosenEdit | Promise<ChosenEdit>;

/** What a person picks in one dialog. */
export const MAX_PICKED = 1000;

const text = z.string().min(1).max(200).optional();
const flag = z.literal(true).optional();
const picked = z.array(z.string().min(1).max(200)).max(MAX_PICKED).optional();
const PRUNE = z.strictObject({
  preset: z.enum([...Object.keys(PRUNE_PRESETS), "none"] as [PrunePreset | "none"]).optional(),
  tools: z.enum(["remove", "truncate", "stub"]).optional(),
  thinking: z.enum(["remove", "all"]).optional(),
  keepLast: text,
  keepTokens: text,
  olderThan: text,
  largerThan: text,
  toTokens: text,
  tool: z.array(z.string().min(1).max(200)).max(50).optional(),
  images: flag,
  progress: flag,
  attachments: flag,
  snapshots: flag,
  sidechains: flag,
  duplicates: flag,
  keepCall: picked,
  stubCall: picked,
  removeCall: picked,
  keepTurn: picked,
  stubTurn: picked,
  removeTurn: picked,
});

const EDITS: Readonly<Record<EditCommand, Choose>> = {
  clone: edit(z.strictObject({}), "clone", () => planClone),
  fork: edit(z.strictObject({ at: text, from: text, branch: text }), "fork", (flags) => {
    const point = toForkPoint(flags);
    return (source, common) => planFork(source, point, common);
  }),
  prune: edit(PRUNE, "pruned", (flags) => {
    const prune = toPruneOptions(withoutUndefined(flags));
    return (source, common) => planPrune(source, prune, common);
  }),
  compress: edit(
    z.strictObject({ perTurn: flag, keepCalls: flag }),
    "compressed",
    (flags) => (source, common) => planCompress(source, flags, common),
  ),
  uncompact: (flags) => {
    const checked = checkShape(z.strictObject({ all: flag, at: text, toTokens: text }), flags, "flags");
    const reading = { readsWhole: true, sketchesBodies: true };
    return { makePlan: uncompactPlan(checked), mark: "uncompacted", reading };
  },
  repair: edit(z.strictObject({}), "repaired", () => planRepair),
  redact: chooseRedact,
};

export const EDIT_COMMANDS = Object.keys(EDITS) as EditCommand[];

export function chooseEdit({ command, flags = {} }: EditRequest, io: Environment): ChosenEdit | Promise<ChosenEdit> {
  return EDITS[command](flags, io);
}

function edit<Schema extends z.ZodType>(
  schema: Schema,
  mark: EditMark,
  toPlan: (flags: z.output<Schema>) => MakePlan,
): Choose {
  return (flags) => {
    const checked = checkShape(schema, flags, "flags");
    return { makePlan: (source, common) => toPlan(checked)(source, common), mark };
  };
}

async function chooseRedact(flags: unknown, io: Environment): Promise<ChosenEdit> {
  const { redactEmails } = checkShape(z.strictObject({ redactEmails: flag }), flags, "flags");
  const redactor = await exportRedactor(redactEmails ? { redactEmails } : {}, io);
  return {
    makePlan: (source, common) => redactedPlan(source, common, redactor),
    mark: "redacted",
    redaction: () => redactor.report(),
  };
}

type Defined<Flags> = { readonly [Name in keyof Flags]: Exclude<Flags[Name], undefined> };

function withoutUndefined<Flags extends object>(flags: Flags): Partial<Defined<Flags>> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as Partial<
    Defined<Flags>
  >;
}
