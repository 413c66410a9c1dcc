import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Command } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { maskingRedactor } from "../../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { warnAboutSkipped } from "../../../app/skipped-files.js";
import { UserError } from "../../../errors.js";
import { readChunks } from "../../../format/reader/record-reader.js";
import { readDrift } from "../../../library/sources/read-drift.js";
import { createStyle } from "../../../render/terminal/style.js";
import { verifySession } from "../../../session/verify/verify-session.js";
import type { CommandContext } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import { paintDrift, paintVerifyReport } from "../../report/verify-report.js";
import { isColoured } from "../../terminal/is-coloured.js";
import { printedJson } from "../../terminal/printed-json.js";

interface VerifyOptions extends RootOptions {
  readonly drift?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  turnlog verify last                can Claude Code resume it?
  turnlog verify --drift ~/.claude   what a new Claude Code version writes that turnlog does not know`;

export function define(command: Command, context: CommandContext): void {
  command
    .argument("[session]", SESSION)
    .option("--drift <folder>", "instead: list record types and fields below this folder that turnlog does not know")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string | undefined, options: VerifyOptions) => {
      if (options.drift !== undefined) return writeDrift(options.drift, options, context);
      if (name !== undefined) return writeReport(name, options, context);
      throw new UserError("usage", "no session given", "for example `turnlog verify last`");
    });
}

async function writeReport(name: string, options: VerifyOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  const found = chooseSession(name, await sessionRoots(io, options), io, await loadOptions(io));
  const folder = dirname(found.path);
  const isClients = basename(dirname(folder)) === "projects";
  const verified = verifySession(
    readChunks(found.open()),
    basename(found.path),
    isClients ? basename(folder) : undefined,
  );
  const report = (await maskingRedactor(io)).json(verified, "report"); // it names folders
  context.exitCode = report.ok ? 0 : 1;
  await io.stdout(options.json ? printedJson(report, io) : paintVerifyReport(report, createStyle(isColoured(io))));
}

async function writeDrift(folder: string, { json }: VerifyOptions, { io }: CommandContext): Promise<void> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError("not-found", `no such folder: ${folder}`, "for example `turnlog verify --drift ~/.claude`");
  }
  const { drift, files, problems } = readDrift(folder);
  warnAboutSkipped(problems, io);
  await io.stdout(json ? printedJson({ files, ...drift }, io) : paintDrift(drift, files));
}
