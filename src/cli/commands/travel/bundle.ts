import { resolve } from "node:path";
import type { Command } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { exportRedactor, type RedactionOptions } from "../../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { type BundledReport, type BundleReport, bundleSessions } from "../../../app/travel/bundle-sessions.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext, Io } from "../../io.js";
import { addPassphraseOption, type PassphraseOptions, readPassphrase } from "../../options/passphrase-options.js";
import { addRedactionOptions } from "../../options/redaction-options.js";
import { describeRedaction } from "../../report/redaction-report.js";
import { printedJson } from "../../terminal/printed-json.js";

interface BundleOptions extends RedactionOptions, RootOptions, PassphraseOptions {
  readonly output: string;
  readonly force?: boolean;
  readonly encrypt?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
A bundle holds transcripts, sub-agents, tool results, backups of edited files, titles, tags and notes. \`turnlog import\` puts them
into another home folder and project. tar opens a bundle that is not encrypted.

Examples:
  turnlog bundle last -o session.tar.gz                        without keys, passwords, home folder and user name
  turnlog bundle 611dbd00 26e4fb42 -o mine.tar.gz --no-redact --encrypt`;

export function define(command: Command, { io }: CommandContext): void {
  addPassphraseOption(addRedactionOptions(command))
    .argument("<sessions...>", "file paths, ids, unique id prefixes, exact titles, or `last`")
    .requiredOption("-o, --output <file>", "the file to write")
    .option("--force", "overwrite the file")
    .option("--encrypt", "encrypt the bundle with a passphrase")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (names: readonly string[], options: BundleOptions) => {
      const settings = await loadOptions(io);
      const roots = await sessionRoots(io, options);
      const found = names.map((name) => chooseSession(name, roots, io, settings));
      const sessions = [...new Map(found.map((session) => [session.id, session])).values()];
      const isEncrypted = options.encrypt || options.passphraseFile !== undefined;
      const report = await bundleSessions(
        {
          sessions,
          redactor: options.redact ? await exportRedactor(options, io) : undefined,
          passphrase: isEncrypted ? await readPassphrase(options, true, io) : undefined,
          output: { path: resolve(io.cwd, options.output), overwrite: options.force ?? false, roots },
          settings,
        },
        io,
      );
      return printBundle(report, options, io);
    });
}

function printBundle(report: BundleReport, { json }: BundleOptions, io: Io): Promise<void> | void {
  if (json) return io.stdout(printedJson(report, io));
  for (const session of report.sessions) io.stderr(neutralize(describeSession(session, report)));
  io.stderr(
    report.redaction
      ? describeRedaction(report.redaction)
      : "not redacted: the bundle contains secrets and whatever else was said\n",
  );
  const locked = report.encrypted ? ", encrypted" : "";
  return io.stdout(neutralize(`${report.path} (${formatCount(report.bytes, "byte")}${locked})\n`));
}

function describeSession(session: BundledReport, { redaction }: BundleReport): string {
  const { id, title, files, leftOut, left, isRunning } = session;
  const lines = [`${id}  ${title ?? ""}  ${formatCount(files, "file")}`];
  if (isRunning) lines.push("  it is running: the bundle has it as it is now");
  if (leftOut.length > 0) lines.push(`  left out: ${leftOut.join(", ")}`);
  if (left > 0 && !redaction)
    lines.push(
      `  ${formatCount(left, "line")} ${left === 1 ? "names" : "name"} folders of this machine in text, which stays`,
    );
  return lines.map((line) => `${line}\n`).join("");
}
