import { modelFacts } from "../../agent/model/model-facts.js";
import type { EditSource } from "../../edit/plans/edit-source.js";
import { countRequest } from "../../edit/plans/recorded-counts.js";
import { planUncompact } from "../../edit/uncompact/plan-uncompact.js";
import { UserError } from "../../errors.js";
import { formatTokens } from "../../render/format-values.js";
import { parseNumber } from "./edit-flags.js";
import type { MakePlan } from "./prepare-edit.js";

/** The options of `uncompact` as text. */
export interface UncompactFlags {
  readonly all?: true | undefined;
  readonly at?: string | undefined;
  readonly toTokens?: string | undefined;
}

/** The session without its last compactions, fitted to `--to-tokens` or to the window of its model. */
export function uncompactPlan({ all, at, toTokens }: UncompactFlags): MakePlan {
  if (all && at !== undefined) throw new UserError("usage", "--all and --at cannot be combined", "choose one of them");
  const from = all ? 1 : at === undefined ? undefined : parseNumber(at, "--at", "2");
  const asked = toTokens === undefined ? undefined : parseNumber(toTokens, "--to-tokens", "120k");
  return (source, common) => {
    const { tokens, told } = asked === undefined ? roomInWindow(source) : { tokens: asked, told: [] };
    const plan = planUncompact(source, { from, toTokens: tokens }, common);
    return { ...plan, notes: [...plan.notes, ...told] };
  };
}

/** What is left of a window lets Claude Code work for a while before it compacts again, at about four fifths. */
const SHARE = 0.6;
const LARGE_WINDOW = 1_000_000;

function roomInWindow({ outline }: EditSource): { readonly tokens: number; readonly told: readonly string[] } {
  const messages = [...outline.messages.values()];
  const model = messages.findLast(({ isSynthetic, model: name }) => !isSynthetic && name !== undefined)?.model ?? "";
  const usual = modelFacts(model).contextWindow;
  const largest = messages.reduce((most, message) => Math.max(most, countRequest(message)), 0);
  const window = largest > usual ? LARGE_WINDOW : usual;
  const tokens = Math.round(window * SHARE);
  const why = largest > usual ? ", since a request counted more than 200k" : "";
  const of = model === "" ? "" : ` of ${model}`;
  const share = `${SHARE * 100} % of the window${of} (${formatTokens(window)} tokens${why})`;
  return {
    tokens,
    told: [`it may take up to ${formatTokens(tokens)} tokens: ${share}; --to-tokens asks for another size`],
  };
}
