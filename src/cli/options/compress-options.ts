import { type Command, Option } from "commander";
import type { RedactionOptions } from "../../app/redaction.js";
import type { Band, CompressOptions } from "../../edit/compress/bands.js";
import { UserError } from "../../errors.js";
import { addRedactionOptions } from "./redaction-options.js";

/** As a person gives them. */
export interface CompressFlags extends RedactionOptions {
  readonly band?: readonly Band[];
  readonly keepCalls?: true;
  readonly perTurn?: true;
  readonly summaryTitle?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly parallel: number;
  readonly yes?: true;
}

export function addCompressOptions(command: Command): Command {
  return addRedactionOptions(
    command
      .addOption(
        new Option("--band <part>", "which turns, in per cent, and how: 0-60:heavy; may be repeated").argParser(
          addBand,
        ),
      )
      .option("--keep-calls", "keep names and inputs of tool calls, and drop their results")
      .option("--per-turn", "condense each turn where it stands, instead of one summary of all")
      .option("--summary-title <title>", "write a summary record with this title too")
      .option("--model <name>", "let a model write the summaries; without --yes it only tells what that costs")
      .option("--base-url <url>", "of the API, instead of ANTHROPIC_BASE_URL")
      .addOption(new Option("--parallel <n>", "requests at a time").default(4).argParser(parseParallel))
      .option("--yes", "send the turns to the model"),
  );
}

export function toCompressOptions({ band, keepCalls, perTurn, summaryTitle }: CompressFlags): CompressOptions {
  return { bands: band, keepCalls, perTurn, summaryTitle };
}

function addBand(text: string, before: readonly Band[] = []): readonly Band[] {
  const [, from, to, level] = /^(\d{1,3})-(\d{1,3}):(light|heavy)$/.exec(text) ?? [];
  const band = { from: Number(from), to: Number(to), level: level === "light" ? "light" : "heavy" } as const;
  if (level !== undefined && band.from < band.to && band.to <= 100) return [...before, band];
  throw new UserError("usage", `--band wants a part and a level, not "${text}"`, "for example --band 0-60:heavy");
}

function parseParallel(text: string): number {
  if (/^([1-9]|[1-3]\d)$/.test(text)) return Number(text);
  throw new UserError("usage", `--parallel wants a number from 1 to 39, not "${text}"`, "for example --parallel 4");
}
