import type { Command } from "commander";
import { addFilterOptions, collect } from "../../../app/filter-options.js";
import type { Io } from "../../../app/io.js";
import { exportRedaction } from "../../../app/redaction.js";
import { addRedactionOptions } from "../../../app/redaction-options.js";
import type { RootOptions } from "../../../app/session-roots.js";
import { type SendTraceOptions, sendTraces } from "../../../app/trace/send-traces.js";
import { testTargets } from "../../../app/trace/test-targets.js";
import { dropTraces, type QueueOptions, retryTraces, showTraceStatus } from "../../../app/trace/trace-queue.js";
import { readInstalledTargets } from "../../../app/trace/trace-settings.js";
import { createRedactor } from "../../../redact/create-redactor.js";
import { work } from "../../../trace/hook/work.js";
import type { CommandContext } from "../../command-context.js";
import { type InstallOptions, installTrace, uninstallTrace } from "./install-trace.js";

const EXAMPLES = `
  turnlog trace install --langfuse               from now on, every turn of every session
  turnlog trace install --otlp http://localhost:4318
  turnlog trace send last --dry-run              the spans of a session as a tree; nothing leaves
  turnlog trace send 611dbd00 --file out.otlp.json
  turnlog trace send --all --since 30d           sends the past; what was sent before is not sent again
  turnlog trace status                           what waits, what was sent, what was refused and why`;

export function define(command: Command, context: CommandContext): void {
  command.helpCommand(false).addHelpText("after", EXAMPLES);
  defineInstall(command, context);
  defineSend(command, context);
  defineQueue(command, context);
  command
    .command("work", { hidden: true })
    .option("--patience <ms>", "how long to stay for a target that cannot be reached")
    .action(({ patience }: { readonly patience?: string }) => runWorker(patience, context.io));
}

function defineInstall(command: Command, { io }: CommandContext): void {
  command
    .command("install")
    .description("adds turnlog to the client's hooks, so that turns are sent as they end; shows the change first")
    .option("--langfuse [url]", "to Langfuse; keys from LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or asked for")
    .option("--otlp <endpoint>", "to any OpenTelemetry receiver")
    .option("--header <name=value>", "for --otlp: a header of each request, such as a key", collect)
    .option("--name <name>", "what to call the target; one of another name is a further target")
    .option("--keys-file <file>", 'for --langfuse: { "publicKey", "secretKey" }, readable by you alone')
    .option("--attributes <family>", "genai, langfuse, openinference or all")
    .option("--content <choice>", "all, prompts (nothing of tools) or none (no words at all)")
    .option("--user-id <id>", "the user of the traces")
    .option("--scope <scope>", "settings of the user, the project, or local (the project's, yours alone)", "user")
    .option("--replace", "replace the hook of cc-langfuse, and remember what it has sent")
    .option("--yes", "do not ask")
    .action((options: InstallOptions) => installTrace({ ...rootsOf(command), ...options }, io));
  command
    .command("uninstall")
    .description("takes the hooks out again, and forgets the targets and their keys")
    .option("--scope <scope>", "settings of the user, the project, or local", "user")
    .option("--yes", "do not ask")
    .action((options: InstallOptions) => uninstallTrace({ ...rootsOf(command), ...options }, io));
}

function defineSend(command: Command, context: CommandContext): void {
  const send = command
    .command("send")
    .description("sends the turns of sessions that were not sent before")
    .argument("[session]", "file path, id, unique id prefix, exact title, or `last`")
    .option("--all", "all sessions, or those that the filters choose");
  addRedactionOptions(addFilterOptions(send))
    .option("--target <name>", "to this target alone")
    .option("--dry-run", "show the spans as a tree; nothing is stored or sent")
    .option("--file <file>", "into a file instead: .json, or .pb for protobuf")
    .option("--force", "overwrite the file")
    .option("--attributes <family>", "genai, langfuse, openinference or all")
    .option("--content <choice>", "all, prompts (nothing of tools) or none (no words at all)")
    .option("--json", "what was done, as JSON")
    .action(async (session: string | undefined, options: SendTraceOptions) => {
      const isComplete = await sendTraces(session, { ...rootsOf(command), ...options }, context.io);
      if (!isComplete) context.exitCode = 1;
    });
}

function defineQueue(command: Command, context: CommandContext): void {
  const { io } = context;
  command
    .command("status")
    .description("what waits, what was sent, what was refused and why")
    .option("--json", "as JSON")
    .action((options: QueueOptions) => showTraceStatus(options, io));
  command
    .command("retry")
    .description("sends what waits or was refused, now")
    .option("--target <name>", "to this target alone")
    .option("--repeat", "also requests that were refused in part: what arrived of them arrives again")
    .action(async (options: QueueOptions) => {
      if (!(await retryTraces(options, io))) context.exitCode = 1;
    });
  command
    .command("drop")
    .description("gives up what was refused; it will not be sent again")
    .option("--target <name>", "of this target alone")
    .option("--queued", "also what still waits")
    .option("--yes", "do it: without, it is only counted")
    .action((options: QueueOptions) => dropTraces(options, io));
  command
    .command("test")
    .description("sends one sample turn to each target and says what came back")
    .option("--target <name>", "to this target alone")
    .action(async (options: QueueOptions) => {
      if (!(await testTargets(options, io))) context.exitCode = 1;
    });
}

function rootsOf(command: Command): RootOptions {
  return command.opts<RootOptions>();
}

async function runWorker(patience: string | undefined, io: Io): Promise<void> {
  const settings = await readInstalledTargets(io);
  const redaction = await exportRedaction({ redact: true }, io);
  await work({ ...settings, createRedactor: () => createRedactor(redaction), patienceMs: Number(patience ?? 60_000) });
}
