import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { maskingRedactor } from "../../../app/redaction.js";
import { resumeCommand } from "../../../app/resume-command.js";
import type { RootOptions } from "../../../app/session-roots.js";
import { bundleReceived } from "../../../app/travel/bundle-received.js";
import { applyImport, type ImportPlan, type ImportStep, planImport } from "../../../app/travel/import-bundle.js";
import { isEncryptedBundle, openBundle } from "../../../edit/travel/bundle/open-bundle.js";
import { UserError } from "../../../errors.js";
import type { Redactor } from "../../../redact/create-redactor.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext, Io } from "../../io.js";
import { addPassphraseOption, type PassphraseOptions, readPassphrase } from "../../options/passphrase-options.js";
import { printedJson } from "../../terminal/printed-json.js";
import { openPrompter } from "../../terminal/prompter.js";

interface ImportOptions extends RootOptions, PassphraseOptions {
  readonly project?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
The project's folder is found by its git remote among the folders of your sessions, or at the same place below the home folder.
Nothing is overwritten: a session that is here already stays, and another one with its id gets a new id.

Examples:
  turnlog import session.tar.gz --dry-run              show what would be written, and where
  turnlog import session.tar.gz --project ~/work/shop --yes
  turnlog import 611dbd00                              a session of another machine, to resume it here`;

export function define(command: Command, { io }: CommandContext): void {
  addPassphraseOption(command)
    .argument("<file>", "a bundle that `turnlog bundle` wrote, or a session of another machine (see `turnlog sync`)")
    .option("--project <folder>", "the project's folder on this machine (default: found by its git remote)")
    .option("--dry-run", "show what would be written, write nothing")
    .option("--yes", "import without asking")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, options: ImportOptions) => {
      const path = resolve(io.cwd, name);
      const received = existsSync(path) ? undefined : await bundleReceived(name, io);
      try {
        return await importFile(received?.path ?? path, options, io);
      } finally {
        received?.remove();
      }
    });
}

async function importFile(path: string, options: ImportOptions, io: Io): Promise<void> {
  const passphrase = isEncryptedBundle(path) ? await readPassphrase(options, false, io) : undefined;
  const bundle = await openBundle(path, passphrase);
  try {
    const plan = await planImport(bundle, options, io);
    const redactor = await maskingRedactor(io);
    if (!options.json) io.stderr(describePlan(plan, redactor));
    const isWritten = await importAgreed(plan, options, io);
    return await printResult(plan, isWritten, options, io);
  } finally {
    bundle.close();
  }
}

/** Whether it was done: not on a dry run, nor where there is nothing to do or the answer is no. */
async function importAgreed(plan: ImportPlan, options: ImportOptions, io: Io): Promise<boolean> {
  if (options.dryRun || plan.steps.every(({ action }) => action !== "write")) return false;
  if (!options.yes && !(await confirm(io))) return false;
  await applyImport(plan, io);
  return true;
}

async function confirm(io: Io): Promise<boolean> {
  const input = io.stdin();
  if (!("isTTY" in input && input.isTTY === true))
    throw new UserError("usage", "nothing was imported: there is no terminal to ask on", "look at it, then add --yes");
  const prompter = openPrompter(io);
  try {
    return await prompter.confirm("Import?");
  } finally {
    prompter.close();
  }
}

function describePlan({ bundle, steps }: ImportPlan, redactor: Redactor): string {
  const { createdAt, redacted } = bundle.manifest;
  const about = redacted === null ? "not redacted" : "redacted";
  const head = `a bundle of ${createdAt}, ${about}${bundle.isEncrypted ? ", encrypted" : ""}\n`;
  return neutralize(head + steps.map((step) => describeStep(step, redactor)).join(""));
}

const FOUND = { name: "", remote: " (by its git remote)", place: " (the same place)" };

function describeStep({ session, place, id, project, action }: ImportStep, redactor: Redactor): string {
  const { title, turns, files } = session;
  const shown = title === null ? "" : `  ${redactor.text(title, "title").replaceAll(/\s+/g, " ")}`;
  const lines = [`${session.id}${shown}  ${formatCount(turns, "turn")}, ${formatCount(files.length, "file")}`];
  if (action === "same") lines.push(`  is here already: ${place.path}`);
  if (action === "continued") lines.push(`  is here already, with more at its end: ${place.path}`);
  if (action === "write") {
    lines.push(
      `  project  ${project.folder}${FOUND[project.by]}${existsSync(project.folder) ? "" : ", which does not exist yet"}`,
    );
    lines.push(`  file     ${place.path}`);
    const also = describeOthers(session);
    if (also !== "") lines.push(`  also     ${also}`);
    if (id !== session.id) lines.push(`  another session has its id; it becomes ${id}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** What goes into Claude Code's folder outside of the project. */
function describeOthers({ files }: ImportStep["session"]): string {
  const count = (...places: string[]) => files.filter(({ place }) => places.includes(place)).length;
  const [plans, tasks, prompts] = [count("plan"), count("tasks", "todos"), count("prompts")];
  return [
    ...(plans > 0 ? [formatCount(plans, "plan")] : []),
    ...(tasks > 0 ? [formatCount(tasks, "task file")] : []),
    ...(prompts > 0 ? ["what was typed, into history.jsonl"] : []),
  ].join(", ");
}

async function printResult(plan: ImportPlan, isWritten: boolean, { json }: ImportOptions, io: Io): Promise<void> {
  const sessions = plan.steps.map(({ session, place, id, project, action }) => ({
    id,
    source: session.id,
    title: session.title,
    action,
    path: place.path,
    project: project.folder,
    projectBy: project.by,
    files: session.files.length,
    resume: resumeCommand(id, project.folder, plan.root),
  }));
  if (json) return io.stdout(printedJson({ written: isWritten, root: plan.root, sessions }, io));
  if (!isWritten) return;
  for (const { resume, action } of sessions) if (action === "write") await io.stdout(neutralize(`${resume}\n`));
}
