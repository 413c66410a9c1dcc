import { readFileSync, statSync } from "node:fs";
import { dataFolderOf, readSettings } from "../../../app/settings.js";
import { refuseSecrets } from "../../../app/trace/refuse-secrets.js";
import type { TargetWithKeys } from "../../../app/trace/trace-settings.js";
import { UserError } from "../../../errors.js";
import { stringAt, tryParseJson } from "../../../format/json.js";
import type { TraceTargetConfig } from "../../../store/config.js";
import { LANGFUSE_CLOUD, parseHeaders } from "../../../trace/outbox/target.js";
import { refusedGrpc, targetsOf } from "../../../trace/outbox/target-from-env.js";
import { readTraceKeys, type TargetKeys } from "../../../trace/outbox/trace-keys.js";
import type { Io } from "../../io.js";
import { type TargetFlags, toTargetSettings } from "../../options/target-options.js";
import type { Prompter } from "../../terminal/prompter.js";

export interface TargetOptions extends TargetFlags {
  readonly langfuse?: string | true;
  readonly otlp?: string;
  readonly fromEnv?: string | true;
  readonly name?: string;
  readonly header?: readonly string[];
  readonly keysFile?: string;
}

/** A target to be installed, as far as its keys are known. */
export interface ChosenTarget extends TargetWithKeys {
  /** The keys are those that were installed before. */
  readonly areKeysStored: boolean;
}

/** From the options or, if they say so, the environment; else the installed target. */
export async function chooseTraceTarget(options: TargetOptions, io: Io): Promise<ChosenTarget> {
  const { trace } = await readSettings(io);
  const known = trace?.targets ?? [];
  const described = options.fromEnv === undefined ? undefined : describedTarget(options, io);
  const installed = options.name === undefined ? known[0] : known.find(({ name }) => name === options.name);
  const found = described?.config ?? optionTarget(options) ?? installed;
  if (!found) throw noTarget(io);
  const named = { ...found, ...(options.name === undefined ? {} : { name: options.name }) };
  const config = { ...mergeKnown(named, known), ...toTargetSettings(options) };
  refuseEndpoint(config.endpoint);
  if (options.metrics) refuseMetrics(config);
  await refuseSecrets(config, io);
  const isSame = known.some(({ name, endpoint }) => name === config.name && endpoint === config.endpoint);
  const stored = isSame ? readTraceKeys(dataFolderOf(io))[config.name] : undefined;
  const given = givenKeys(config, options) ?? described?.keys;
  return { config, keys: given ?? stored, areKeysStored: given === undefined && stored !== undefined };
}

/** A target that is installed again keeps its settings; the account was that of the old address. */
function mergeKnown(found: TraceTargetConfig, known: readonly TraceTargetConfig[]): TraceTargetConfig {
  const before = known.find(({ name, kind }) => name === found.name && kind === found.kind);
  if (!before) return found;
  const { account: _account, ...rest } = before;
  return { ...(before.endpoint === found.endpoint ? before : rest), ...found };
}

function noTarget({ env }: Io): UserError {
  const isDescribed = targetsOf({ ...env, OTEL_EXPORTER_OTLP_PROTOCOL: undefined }).length > 0;
  const hint = "add --langfuse, or --otlp with an address such as http://localhost:4318";
  return new UserError(
    "usage",
    "no target given",
    isDescribed ? `${hint}; --from-env takes that of the environment` : hint,
  );
}

function describedTarget(
  { fromEnv, langfuse, otlp }: TargetOptions,
  { env }: Io,
): ReturnType<typeof targetsOf>[number] {
  if (langfuse !== undefined || otlp !== undefined) {
    throw new UserError("usage", "--from-env takes the address from the environment", "remove --langfuse or --otlp");
  }
  const all = targetsOf(env).filter(({ config }) => fromEnv === true || config.kind === fromEnv);
  const [first, second] = all;
  if (!first) {
    const hint = "set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or OTEL_EXPORTER_OTLP_ENDPOINT";
    throw new UserError("usage", "the environment describes no target", hint);
  }
  if (second) {
    const hint = "say `--from-env langfuse` or `--from-env otlp`";
    throw new UserError("usage", "the environment describes Langfuse and an OTLP receiver", hint);
  }
  return first;
}

function optionTarget({ langfuse, otlp }: TargetOptions): TraceTargetConfig | undefined {
  if (langfuse !== undefined && otlp !== undefined) {
    throw new UserError("usage", "--langfuse and --otlp cannot be combined", "install one after the other");
  }
  if (langfuse !== undefined) {
    return { name: "langfuse", kind: "langfuse", endpoint: langfuse === true ? LANGFUSE_CLOUD : langfuse };
  }
  return otlp === undefined ? undefined : { name: "otlp", kind: "otlp", endpoint: otlp };
}

function refuseEndpoint(endpoint: string): void {
  if (/^grpcs?:/i.test(endpoint)) throw refusedGrpc(`the endpoint is ${endpoint}`);
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === "") return;
  throw new UserError("usage", "the endpoint is not an http or https URL", "for example http://localhost:4318");
}

function refuseMetrics({ kind, endpoint, isComplete }: TraceTargetConfig): void {
  if (kind === "langfuse") {
    throw new UserError("usage", "Langfuse takes no metrics", "use --metrics with --otlp, for example a collector");
  }
  if (isComplete && !/traces\/?$/.test(endpoint)) {
    const hint = "install it with --otlp and the address without a path";
    throw new UserError("usage", `the address of metrics does not follow from ${endpoint}`, hint);
  }
}

function givenKeys({ kind }: TraceTargetConfig, { header, keysFile }: TargetOptions): TargetKeys | undefined {
  if (kind === "otlp") return header === undefined ? undefined : { headers: parseHeaders(header.join(",")) };
  return keysFile === undefined ? undefined : readKeysFile(keysFile);
}

export async function askForKeys(prompter: Prompter): Promise<TargetKeys> {
  const asked = {
    publicKey: await prompter.ask("Langfuse public key (pk-lf-…): "),
    secretKey: await prompter.askSecret("Langfuse secret key (sk-lf-…): "),
  };
  if (asked.publicKey && asked.secretKey) return asked;
  const hint = "pass --keys-file, or set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY and add --from-env";
  throw new UserError("config", "the Langfuse keys are missing; nothing was changed", hint);
}

function readKeysFile(path: string): TargetKeys {
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new UserError("config", `other users can read ${path}`, `run \`chmod 600 ${path}\``);
  }
  const json = tryParseJson(readFileSync(path, "utf8"));
  const keys = { publicKey: stringAt(json, "publicKey"), secretKey: stringAt(json, "secretKey") };
  if (keys.publicKey && keys.secretKey) return keys;
  throw new UserError("config", `${path} has no keys`, 'it must be { "publicKey": "…", "secretKey": "…" }');
}
