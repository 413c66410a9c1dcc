import type { Command } from "commander";
import { describeSending, summaryWriter } from "../../../app/edit/summary-model.js";
import { exportRedactor } from "../../../app/redaction.js";
import type { CompressOptions } from "../../../edit/compress/choose-turns.js";
import { planCompress } from "../../../edit/compress/plan-compress.js";
import { listTurnTexts, summarizeTurns } from "../../../edit/compress/summarize-turns.js";
import type { EditSource } from "../../../edit/plans/edit-source.js";
import { UserError } from "../../../errors.js";
import type { CommandContext, Io } from "../../io.js";
import { addCompressOptions, type CompressFlags, toCompressOptions } from "../../options/compress-options.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { describeRedaction } from "../../report/redaction-report.js";
import { runEdit } from "./run-edit.js";

const EXAMPLES = `
User messages stay word for word, and the last turn stays as it is. Without --model, summaries are made by rules and nothing
leaves this machine.

Examples:
  turnlog compress last                                        the first 60 % of the turns heavily, up to 85 % lightly
  turnlog compress last --band 0-80:light --keep-calls
  turnlog compress last --per-turn                             summarize each turn in its place
  turnlog compress last --model claude-haiku-4-5               print what would be sent, and its cost
  turnlog compress last --model claude-haiku-4-5 --yes         send it`;

type Options = EditCommandOptions & CompressFlags;

export function define(command: Command, { io }: CommandContext): void {
  addCompressOptions(addEditOptions(command))
    .addHelpText("after", EXAMPLES)
    .action((name: string, options: Options) => {
      const compress = toCompressOptions(options);
      const isSent = options.model !== undefined && options.yes && !options.dryRun;
      const dryRun = options.dryRun || (options.model !== undefined && !options.yes);
      return runEdit(
        name,
        { ...options, dryRun, writtenBy: options.dryRun || options.model === undefined ? "" : "--yes" },
        io,
        async (source, common) => {
          const asked = await askModel(source, compress, options, isSent === true, io);
          return planCompress(source, asked, common);
        },
        "compressed",
      );
    });
}

const ATTEMPTS = 2; // besides those of the connection itself

async function askModel(
  source: EditSource,
  compress: CompressOptions,
  { model: name, baseUrl: url, parallel, redact, ...more }: Options,
  isSent: boolean,
  io: Io,
): Promise<CompressOptions> {
  if (name === undefined) return compress;
  const model = { name, baseUrl: url ?? io.env["ANTHROPIC_BASE_URL"] };
  io.stderr(describeSending(listTurnTexts(source, compress), model, redact));
  if (!isSent) {
    io.stderr("nothing was sent (add --yes to send); the plan below is the one without a model\n");
    return compress;
  }
  const redactor = redact ? await exportRedactor({ redact, ...more }, io) : undefined;
  const clean = (text: string) => redactor?.text(text, "turn") ?? text;
  const summarize = await summaryWriter(model, clean, io);
  const { summaries, failed } = await summarizeTurns(listTurnTexts(source, compress), summarize, {
    parallel,
    attempts: ATTEMPTS,
  });
  if (redactor) io.stderr(describeRedaction(redactor.report()));
  if (summaries.size === 0) {
    throw new UserError("config", `${name} returned no summary`, [...failed.values()][0]);
  }
  for (const [turn, why] of failed) io.stderr(`turn ${turn} is kept as it is: ${why}\n`);
  return { ...compress, summaries, untouched: new Set(failed.keys()) };
}
