import type { Command } from "commander";
import { UserError } from "../../errors.js";
import type { TraceTargetConfig } from "../../store/config.js";
import { refusedGrpc } from "../../trace/outbox/target-from-env.js";
import { collect } from "./filter-options.js";
import { CONTENT_HELP, choose, INPUT_HELP, PROFILE_HELP, parseSpanFlags, type SpanFlags } from "./trace-options.js";

/** The options that decide what a target gets and how, as text. */
export interface TargetFlags extends SpanFlags {
  readonly protocol?: string;
  readonly traceIds?: string;
  readonly environment?: string;
  readonly release?: string;
  readonly user?: string;
  readonly userId?: string;
  readonly metadata?: readonly string[];
  readonly serviceName?: string;
  readonly resource?: readonly string[];
  readonly attach?: boolean;
  readonly metrics?: boolean;
}

export function addTargetOptions(command: Command): Command {
  return command
    .option("--protocol <name>", "protobuf or json (default: protobuf)")
    .option("--profile <name>", PROFILE_HELP)
    .option("--attributes <names>", "the same as --profile")
    .option("--content <choice>", CONTENT_HELP)
    .option("--input <choice>", INPUT_HELP)
    .option("--trace-ids <rule>", "records (default), or session: computed from session and turn")
    .option("--environment <name>", "environment of the traces, such as ci")
    .option("--release <name>", "release of the traces")
    .option("--user <id>", "user id of the traces")
    .option("--user-id <id>", "the same as --user")
    .option("--metadata <key=value>", "metadata of each trace; can be repeated", collect)
    .option("--service-name <name>", "service of the traces (default: claude-code)")
    .option("--resource <key=value>", "attribute of the resource; can be repeated", collect)
    .option("--attach", "turns become children of the span that TRACEPARENT names where Claude Code runs")
    .option("--no-attach", "each turn is a trace of its own (default)")
    .option("--metrics", "send tokens, cost, turns and tool errors as metrics, too; not to Langfuse")
    .option("--no-metrics", "send no metrics (default)");
}

/** What was named, for the target's place in config.json. */
export function toTargetSettings(flags: TargetFlags): Partial<TraceTargetConfig> {
  const { environment, release, serviceName, attach, metrics } = flags;
  const settings = {
    ...parseSpanFlags(flags),
    protocol: toProtocol(flags.protocol),
    traceIds:
      flags.traceIds === undefined ? undefined : choose("--trace-ids", flags.traceIds, ["records", "session"] as const),
    environment,
    release,
    userId: flags.user ?? flags.userId,
    metadata: toPairs("--metadata", flags.metadata),
    serviceName,
    resource: toPairs("--resource", flags.resource),
    attach,
    metrics,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function toProtocol(text: string | undefined): TraceTargetConfig["protocol"] {
  if (text === undefined) return undefined;
  if (text === "grpc") throw refusedGrpc("--protocol is grpc");
  return `http/${choose("--protocol", text.replace(/^http\//, ""), ["protobuf", "json"] as const)}`;
}

function toPairs(option: string, pairs: readonly string[] | undefined): Record<string, string> | undefined {
  return (
    pairs &&
    Object.fromEntries(
      pairs.map((pair) => {
        const at = pair.indexOf("=");
        if (at < 1)
          throw new UserError("usage", `${option} must be key=value, not "${pair}"`, `for example ${option} team=web`);
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    )
  );
}
