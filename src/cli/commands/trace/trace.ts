import type { Command } from "commander";
import type { RootOptions } from "../../../app/session-roots.js";
import { SCOPE_HELP } from "../../client-settings.js";
import type { CommandContext } from "../../io.js";
import { addFilterOptions, collect } from "../../options/filter-options.js";
import { addRedactionOptions } from "../../options/redaction-options.js";
import { SESSION } from "../../options/session-argument.js";
import { addTargetOptions } from "../../options/target-options.js";
import { CONTENT_HELP, INPUT_HELP, PROFILE_HELP } from "../../options/trace-options.js";
import type { InstallOptions } from "./install-trace.js";
import type { FlushOptions, QueueOptions, SwitchOptions } from "./queue.js";
import type { ResendOptions, SendOptions } from "./send.js";

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
  defineResend(command, context);
  defineSwitch(command, context);
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
  const install = command
    .command("install")
    .description("Add turnlog's hook to Claude Code's settings, to send turns when they end; shows the change first")
    .option("--langfuse [url]", "send to Langfuse; its keys are prompted for")
    .option("--otlp <endpoint>", "send to any OpenTelemetry receiver")
    .option("--from-env [kind]", "target and keys from LANGFUSE_* or OTEL_* variables; kind: langfuse or otlp")
    .option("--header <name=value>", "with --otlp: a header for each request, such as a key; can be repeated", collect)
    .option("--name <name>", "name of the target (default: langfuse or otlp); a new name adds another target")
    .option("--keys-file <file>", 'with --langfuse: a file { "publicKey", "secretKey" } that only you can read')
    .option("--same-account", "the new address or key belongs to the account that got the turns so far")
    .option("--no-check", "do not ask the backend whether it takes the keys");
  addTargetOptions(install)
    .option("--scope <scope>", SCOPE_HELP, "user")
    .option("--sync", "Claude Code waits until each turn is sent, for containers")
    .option("--replace <tracer>", "switch off cc-langfuse, langfuse or langsmith; can be repeated", collect)
    .option("--yes", "do not ask for confirmation")
    .action(async (options: InstallOptions) => {
      const { installTrace } = await import("./install-trace.js");
      await installTrace({ ...rootsOf(command), ...options }, io);
    });
  command
    .command("uninstall")
    .description("Remove the hook, the targets and their keys")
    .option("--name <target>", "only this target; the hook stays")
    .option("--scope <scope>", SCOPE_HELP, "user")
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
    .option("--target <name>", "only to this target; with --dry-run or --file: as this target gets it")
    .option("--dry-run", "print the spans as a tree; store and send nothing")
    .option("--file <file>", "write to a file instead: .json, or .pb for protobuf")
    .option("--force", "overwrite the file")
    .option("--profile <name>", PROFILE_HELP)
    .option("--attributes <names>", "the same as --profile")
    .option("--content <choice>", CONTENT_HELP)
    .option("--input <choice>", INPUT_HELP)
    .option("--attach", "turns become children of the span that TRACEPARENT names")
    .option("--json", "print the result as JSON")
    .action(async (session: string | undefined, options: SendOptions) => {
      const { runSend } = await import("./send.js");
      const isComplete = await runSend(session, { ...rootsOf(command), ...options }, context.io);
      if (!isComplete) context.exitCode = 1;
    });
}

function defineResend(command: Command, context: CommandContext): void {
  command
    .command("resend")
    .description("Send turns again that were sent before; says what each backend does with repeats")
    .option("--since <time>", "only turns that began then or later")
    .option("--until <time>", "only turns that began before")
    .option("--session <session>", "only this session")
    .option("--target <name>", "only to this target")
    .option("--yes", "do not ask for confirmation")
    .action(async (options: ResendOptions) => {
      const { runResend } = await import("./send.js");
      if (!(await runResend({ ...rootsOf(command), ...options }, context.io))) context.exitCode = 1;
    });
}

function defineSwitch(command: Command, { io }: CommandContext): void {
  for (const isOn of [true, false]) {
    command
      .command(isOn ? "on" : "off")
      .description(isOn ? "Send turns again as they end" : "Send no turns of this time, now or later")
      .option("--project [folder]", "only of this project (default: that of the current folder)")
      .action(async (options: SwitchOptions) => (await import("./queue.js")).switchTraces(isOn, options, io));
  }
}

function defineQueue(command: Command, context: CommandContext): void {
  const { io } = context;
  command
    .command("flush")
    .description("Send everything now, for the end of a job; exit code 1: not everything was sent")
    .option("--timeout <seconds>", "how long to try", "20")
    .action(async (options: FlushOptions) => {
      if (!(await (await import("./queue.js")).flush(options, io))) context.exitCode = 1;
    });
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
