import { type Command, Option } from "commander";
import { PRUNE_PRESETS, type PruneOptions, type PrunePreset, prunePreset } from "../../edit/prune/prune-presets.js";
import { UserError } from "../../errors.js";
import type { CallAction } from "../../format/writer/trim-record.js";
import { parseMoment } from "../../library/load/session-summary.js";
import { parseBytes } from "../filter-options.js";

/** As a person gives them. */
export interface PruneFlags {
  readonly preset?: PrunePreset;
  readonly tools?: CallAction;
  readonly keepLast?: string;
  readonly olderThan?: string;
  readonly tool?: readonly string[];
  readonly largerThan?: string;
  readonly thinking?: "remove" | "all";
  readonly images?: true;
  readonly progress?: true;
  readonly attachments?: true;
  readonly snapshots?: true;
  readonly sidechains?: true;
  readonly duplicates?: true;
  readonly toTokens?: string;
}

export function addPruneOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--preset <name>", "light, normal (without any option), heavy or extreme").choices(
        Object.keys(PRUNE_PRESETS),
      ),
    )
    .addOption(
      new Option("--tools <how>", "tool calls: remove, truncate to two lines, or stub their results").choices([
        "remove",
        "truncate",
        "stub",
      ]),
    )
    .option("--keep-last <n>", "so many of the last turns that have tools keep them (20; with --to-tokens 1)")
    .option("--older-than <age>", "only turns that are older: 7d, 12h, 2026-05-01")
    .option("--tool <name>", "only calls of this tool; may be repeated", addTo)
    .option("--larger-than <bytes>", "only calls that take more: 4000, 10k")
    .addOption(
      new Option("--thinking <how>", "remove it from all turns but the last, or all of it").choices(["remove", "all"]),
    )
    .option("--images", "a note instead of each image")
    .option("--progress", "without progress records")
    .option("--attachments", "without attachments: reminders, listings, mentioned files, reports of hooks")
    .option("--snapshots", "without snapshots of files")
    .option("--sidechains", "without sub-agents")
    .option("--duplicates", "of files that were read again only the last read")
    .option("--to-tokens <n>", "the least useful first, until about so many tokens are left: 80000, 80k");
}

function addTo(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
}

/** Options given beside a preset win over it; without any, it is `normal`. */
export function toPruneOptions(flags: PruneFlags): PruneOptions {
  const { preset, keepLast, olderThan, largerThan, toTokens, thinking } = flags;
  const asked: PruneOptions = {
    tools: flags.tools,
    keepLast: keepLast === undefined ? undefined : parseNumber(keepLast, "--keep-last", "10"),
    before: olderThan === undefined ? undefined : parseMoment(olderThan),
    toolNames: flags.tool,
    largerThan: largerThan === undefined ? undefined : parseBytes(largerThan, "--larger-than"),
    thinking: thinking === "remove" ? "finished" : thinking,
    images: flags.images,
    progress: flags.progress,
    attachments: flags.attachments,
    snapshots: flags.snapshots,
    sidechains: flags.sidechains,
    duplicates: flags.duplicates,
    toTokens: toTokens === undefined ? undefined : parseNumber(toTokens, "--to-tokens", "80k"),
  };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const says = WHAT.some((name) => asked[name] !== undefined);
  return { ...(preset ? prunePreset(preset) : says ? {} : prunePreset("normal")), ...given };
}

/** Options that say what goes; the others narrow it down. */
const WHAT = [
  "tools",
  "thinking",
  "images",
  "progress",
  "attachments",
  "snapshots",
  "sidechains",
  "duplicates",
  "toTokens",
] as const satisfies readonly (keyof PruneOptions)[];

function parseNumber(text: string, option: string, example: string): number {
  const match = /^(\d{1,9})(k?)$/i.exec(text.trim());
  if (match) return Number(match[1]) * (match[2] ? 1000 : 1);
  throw new UserError("usage", `${option} wants a number, not "${text}"`, `for example ${option} ${example}`);
}
