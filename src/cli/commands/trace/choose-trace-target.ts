import { readFileSync, statSync } from "node:fs";
import { dataFolderOf, readSettings } from "../../../app/settings.js";
import type { TargetWithKeys } from "../../../app/trace/trace-settings.js";
import { UserError } from "../../../errors.js";
import { stringAt, tryParseJson } from "../../../format/json.js";
import type { TraceTargetConfig } from "../../../store/config.js";
import {
  keysOf,
  LANGFUSE_CLOUD,
  parseHeaders,
  readTraceKeys,
  type TargetKeys,
  targetsOf,
} from "../../../trace/outbox/target.js";
import type { Io } from "../../io.js";
import { parseSpanFlags, type SpanFlags } from "../../options/trace-options.js";
import type { Prompter } from "../../terminal/prompter.js";

export interface TargetOptions extends SpanFlags {
  readonly langfuse?: string | true;
  readonly otlp?: string;
  readonly name?: string;
  readonly header?: readonly string[];
  readonly keysFile?: string;
  readonly userId?: string;
}

/** From the options, else the installed target, else from the environment. Missing keys are prompted for. */
export async function chooseTraceTarget(options: TargetOptions, prompter: Prompter, io: Io): Promise<TargetWithKeys> {
  const { trace } = await readSettings(io);
  const known = trace?.targets ?? [];
  const found = optionTarget(options, io) ?? known[0] ?? targetsOf(io.env)[0];
  if (!found) {
    const hint = "add --langfuse, or --otlp with an address such as http://localhost:4318";
    throw new UserError("usage", "no target given", hint);
  }
  refuseEndpoint(found.endpoint);
  const config = {
    ...found,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...parseSpanFlags(options),
  };
  const isInstalled = known.some(({ name, endpoint }) => name === config.name && endpoint === config.endpoint);
  const stored = isInstalled ? readTraceKeys(dataFolderOf(io))[config.name] : undefined;
  return { config, keys: await findKeys(config, options, stored, prompter, io) };
}

function optionTarget({ langfuse, otlp }: TargetOptions, { env }: Io): TraceTargetConfig | undefined {
  if (langfuse !== undefined && otlp !== undefined) {
    throw new UserError("usage", "--langfuse and --otlp cannot be combined", "install one after the other");
  }
  if (langfuse !== undefined) {
    const configured = env["LANGFUSE_BASE_URL"] || env["LANGFUSE_HOST"] || LANGFUSE_CLOUD;
    return { name: "langfuse", kind: "langfuse", endpoint: langfuse === true ? configured : langfuse };
  }
  return otlp === undefined ? undefined : { name: "otlp", kind: "otlp", endpoint: otlp };
}

function refuseEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === "") return;
  throw new UserError("usage", "the endpoint is not an http or https URL", "for example http://localhost:4318");
}

/** `stored` are the keys this target already has. A target at another endpoint never inherits them. */
async function findKeys(
  { kind }: TraceTargetConfig,
  options: TargetOptions,
  stored: TargetKeys | undefined,
  prompter: Prompter,
  { env }: Io,
): Promise<TargetKeys | undefined> {
  const isNamed = options.langfuse !== undefined || options.otlp !== undefined;
  if (kind === "otlp") {
    if (options.header !== undefined) return { headers: parseHeaders(options.header.join(",")) };
    return stored ?? (isNamed ? undefined : keysOf(env)["otlp"]);
  }
  if (options.keysFile !== undefined) return readKeysFile(options.keysFile);
  if (!isNamed && stored?.secretKey) return stored;
  const { LANGFUSE_PUBLIC_KEY: publicKey, LANGFUSE_SECRET_KEY: secretKey } = env;
  if (publicKey && secretKey) return { publicKey, secretKey };
  if (stored?.secretKey) return stored;
  const asked = {
    publicKey: await prompter.ask("Langfuse public key (pk-lf-…): "),
    secretKey: await prompter.askSecret("Langfuse secret key (sk-lf-…): "),
  };
  if (asked.publicKey && asked.secretKey) return asked;
  const hint = "set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or pass --keys-file";
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
