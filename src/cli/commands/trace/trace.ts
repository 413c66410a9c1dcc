import type { Command } from "commander";
import type { RootOptions } from "../../../app/session-roots.js";
import type { CommandContext } from "../../io.js";
import { addFilterOptions, collect } from "../../options/filter-options.js";
import { addRedactionOptions } from "../../options/redaction-options.js";
import { SESSION } from "../../options/session-argument.js";
import { ATTRIBUTES_HELP, CONTENT_HELP } from "../../options/trace-options.js";
import type { InstallOptions } from "./install-trace.js";
import type { QueueOptions } from "./queue.js";
import type { SendOptions } from "./send.js";

const EXAMPLES = `
Examples:
  turnlog trace install --langfuse               send every turn of every session from now on
  turnlog trace install --otlp http://localhost:4318
  turnlog trace send last --dry-run              print the spans of a session; send nothing
  turnlog trace send 611dbd00 --file out.otlp.json
  turnlog trace send --all --since 30d           send past turns; none is sent twice
  turnlog trace status                           what was sent, what waits, what was refused and why`;

export function define(command: Command, context: CommandContext): void {
  command.helpCommand(false).addHelpText("after", EXAMPLES);
  defineInstall(command, context);
  defineSend(command, context);
  defineQueue(command, context);
  command
    .command("work", { hidden: true })
    .option("--patience <ms>", "how long to wait for a target that cannot be reached", "60000")
    .action(async ({ patience }: { readonly patience: string }) => {
      const { runTraceWorker } = await import("../../../app/trace/trace-queue.js");
      await runTraceWorker(Number(patience), context.io);
    });
}

function defineInstall(command: Command, { io }: CommandContext): void {
  command
    .command("install")
    .description("Add turnlog's hook to Claude Code's settings, to send turns when they end; shows the change first")
    .option("--langfuse [url]", "send to Langfuse; keys from LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or prompted")
    .option("--otlp <endpoint>", "send to any OpenTelemetry receiver")
    .option("--header <name=value>", "with --otlp: a header for each request, such as a key; can be repeated", collect)
    .option("--name <name>", "name of the target (default: langfuse or otlp); a new name adds another target")
    .option("--keys-file <file>", 'with --langfuse: a file { "publicKey", "secretKey" } that only you can read')
    .option("--attributes <names>", ATTRIBUTES_HELP)
    .option("--content <choice>", CONTENT_HELP)
    .option("--user-id <id>", "user id of the traces")
    .option("--scope <scope>", "settings to change: user, project, or local (yours, in this project)", "user")
    .option("--replace", "replace the hook of cc-langfuse; turns it has sent are not sent again")
    .option("--yes", "do not ask for confirmation")
    .action(async (options: InstallOptions) => {
      const { installTrace } = await import("./install-trace.js");
      await installTrace({ ...rootsOf(command), ...options }, io);
    });
  command
    .command("uninstall")
    .description("Remove the hook, the targets and their keys")
    .option("--scope <scope>", "settings to change: user, project, or local (yours, in this project)", "user")
    .option("--yes", "do not ask for confirmation")
    .action(async (options: InstallOptions) => {
      const { uninstallTrace } = await import("./install-trace.js");
      await uninstallTrace({ ...rootsOf(command), ...options }, io);
    });
}

function defineSend(command: Command, context: CommandContext): void {
  const send = command
    .command("send")
    .description("Send turns that were not sent before")
    .argument("[session]", SESSION)
    .option("--all", "all sessions, or all that match the filters");
  addRedactionOptions(addFilterOptions(send))
    .option("--target <name>", "only to this target")
    .option("--dry-run", "print the spans as a tree; store and send nothing")
    .option("--file <file>", "write to a file instead: .json, or .pb for protobuf")
    .option("--force", "overwrite the file")
    .option("--attributes <names>", ATTRIBUTES_HELP)
    .option("--content <choice>", CONTENT_HELP)
    .option("--json", "print the result as JSON")
    .action(async (session: string | undefined, options: SendOptions) => {
      const { runSend } = await import("./send.js");
      const isComplete = await runSend(session, { ...rootsOf(command), ...options }, context.io);
      if (!isComplete) context.exitCode = 1;
    });
}

function defineQueue(command: Command, context: CommandContext): void {
  const { io } = context;
  command
    .command("status")
    .description("Show what was sent, what waits, and what was refused and why")
    .option("--json", "print JSON")
    .action(async (options: QueueOptions) => (await import("./queue.js")).printStatus(options, io));
  command
    .command("retry")
    .description("Send what waits or was refused, now")
    .option("--target <name>", "only to this target")
    .option("--repeat", "also requests that were refused in part; their accepted spans arrive twice")
    .action(async (options: QueueOptions) => {
      if (!(await (await import("./queue.js")).retry(options, io))) context.exitCode = 1;
    });
  command
    .command("drop")
    .description("Give up what was refused; it is never sent")
    .option("--target <name>", "only of this target")
    .option("--queued", "also what still waits")
    .option("--yes", "drop it (default: only count)")
    .action(async (options: QueueOptions) => (await import("./queue.js")).drop(options, io));
  command
    .command("test")
    .description("Send one sample turn to each target and print the answer")
    .option("--target <name>", "only to this target")
    .action(async (options: QueueOptions) => {
      if (!(await (await import("./queue.js")).testAll(options, io))) context.exitCode = 1;
    });
}

function rootsOf(command: Command): RootOptions {
  return command.opts<RootOptions>();
}
