import { resolve } from "node:path";
import type { Command } from "commander";
import { toLinkFilter } from "../../app/links/link-filter.js";
import { writeAppendix } from "../../app/links/write-appendix.js";
import { loadOptions } from "../../app/load-options.js";
import { writeOutputFile } from "../../app/output-file.js";
import { exportRedactor, maskingRedactor } from "../../app/redaction.js";
import { sessionRoots } from "../../app/session-roots.js";
import { warnAboutSkipped } from "../../app/skipped-files.js";
import { limitHeapGrowth } from "../../app/small-heap.js";
import type { Appendix } from "../../edit/handoff/gather-appendix.js";
import { UserError } from "../../errors.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { appendixMarkdown } from "../../render/markdown/appendix-markdown.js";
import { paintMarkdown } from "../../render/terminal/paint-markdown.js";
import type { Io } from "../io.js";
import { FORMAT_OPTIONS } from "../options/export-options.js";
import type { ShowOptions } from "../options/show-options.js";
import { writePages } from "../terminal/pager.js";
import { toPaintOptions, withHighlighter } from "../terminal/paint-options.js";
import { printedJson } from "../terminal/printed-json.js";
import type { ExportOptions } from "./print-export.js";
import { readList } from "./print-list.js";
import { describeRedaction } from "./redaction-report.js";

type Named = { readonly pr: string };

/** Prints what led to a pull request. */
export async function writeShownAppendix(options: ShowOptions & Named, command: Command, io: Io): Promise<void> {
  rejectSessionOptions(command, ["turns", "branch", "thinking", "tools", "events", "errors", "inventory"]);
  const redactor = options.reveal ? undefined : await maskingRedactor(io);
  const appendix = await readAppendix(options, (text) => redactor?.text(text, "appendix") ?? text, io);
  if (options.json) return io.stdout(printedJson(appendix, io));
  const paint = await withHighlighter(toPaintOptions(options, io));
  const painted = appendixMarkdown(appendix).map((part) => `${paintMarkdown(part.trim(), paint).join("\n")}\n`);
  await writePages([painted.join("\n")], options.pager !== false, io);
}

const FORMATS = ["html", "md", "json"];

/** Writes the same to a file or standard output, redacted. */
export async function writeExportedAppendix(options: ExportOptions & Named, command: Command, io: Io): Promise<void> {
  const { format, output } = options;
  rejectSessionOptions(command, FORMAT_OPTIONS);
  if (!FORMATS.includes(format)) {
    throw new UserError(
      "usage",
      `--pr cannot be used with --format ${format}`,
      `its formats are ${FORMATS.join(", ")}`,
    );
  }
  const redactor = options.redact ? await exportRedactor(options, io) : undefined;
  const appendix = await readAppendix(options, (text) => redactor?.text(text, "appendix") ?? text, io);
  const text = await toText(appendix, format, io);
  if (output === undefined) await io.stdout(text);
  else {
    const [path, roots] = [resolve(io.cwd, output), await sessionRoots(io, options)];
    await writeOutputFile({ path, overwrite: options.force ?? false, roots }, [text]);
  }
  io.stderr(
    redactor ? describeRedaction(redactor.report()) : "not redacted: the output contains secrets, paths and names\n",
  );
}

async function toText(appendix: Appendix, format: string, io: Io): Promise<string> {
  if (format === "json") return printedJson(appendix, io);
  const parts = appendixMarkdown(appendix);
  if (format === "md") return parts.join("");
  const { documentPage } = await import("../../render/html/export/document-page.js");
  return documentPage(`Sessions behind ${appendix.pullRequest}`, parts);
}

/** An option without effect is a misunderstanding. */
function rejectSessionOptions(command: Command, names: readonly string[]): void {
  const unused = names.find((name) => command.getOptionValueSource(name) === "cli");
  if (unused === undefined) return;
  const flag = command.options.find((option) => option.attributeName() === unused)?.long ?? unused;
  throw new UserError("usage", `${flag} cannot be used with --pr`, "it is for a single session");
}

async function readAppendix(
  options: (ShowOptions | ExportOptions) & Named,
  clean: (text: string) => string,
  io: Io,
): Promise<Appendix> {
  limitHeapGrowth();
  const { pullRequest } = await toLinkFilter({ pr: options.pr }, io.cwd);
  if (!pullRequest) throw new UserError("usage", "no pull request", "name it with --pr");
  const roots = await sessionRoots(io, options);
  const load = await loadOptions(io);
  const { sessions, problems } = await readList({}, { pullRequest }, roots, io);
  warnAboutSkipped(problems, io);
  const found = new Map(findSessions(roots, load).sessions.map((session) => [session.path, session]));
  return writeAppendix(sessions, { name: options.pr, pullRequest, load, clean, find: ({ path }) => found.get(path) });
}
