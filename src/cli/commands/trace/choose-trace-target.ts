import { readFileSync, statSync } from "node:fs";
import type { Io } from "../../../app/io.js";
import { dataFolderOf, readSettings } from "../../../app/settings.js";
import { parseAttributes, parseContent } from "../../../app/trace/trace-settings.js";
import { UserError } from "../../../errors.js";
import { stringAt, tryParseJson } from "../../../format/json.js";
import { type TraceTargetConfig, updateConfig } from "../../../store/config.js";
import {
  keysOf,
  LANGFUSE_CLOUD,
  parseHeaders,
  readTraceKeys,
  type TargetKeys,
  targetsOf,
  writeTraceKeys,
} from "../../../trace/outbox/target.js";
import type { Prompter } from "../../terminal/prompter.js";

export interface TargetOptions {
  readonly langfuse?: string | true;
  readonly otlp?: string;
  readonly name?: string;
  readonly header?: readonly string[];
  readonly keysFile?: string;
  readonly attributes?: string;
  readonly content?: string;
  readonly userId?: string;
}

/** A target with its keys, not written down yet. */
export interface ChosenTraceTarget {
  readonly config: TraceTargetConfig;
  /** Undefined: it needs none. */
  readonly keys: TargetKeys | undefined;
}

/** By options, else the one that is installed, else by the environment; keys that are nowhere are asked for. */
export async function chooseTraceTarget(
  options: TargetOptions,
  prompter: Prompter,
  io: Io,
): Promise<ChosenTraceTarget> {
  const { trace } = await readSettings(io);
  const known = trace?.targets ?? [];
  const found = optionTarget(options, io) ?? known[0] ?? targetsOf(io.env)[0];
  if (!found) {
    const hint = "`turnlog trace install --langfuse`, or `--otlp http://localhost:4318`";
    throw new UserError("usage", "where are traces to be sent?", hint);
  }
  refuseEndpoint(found.endpoint);
  const config = {
    ...found,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.attributes === undefined ? {} : { attributes: parseAttributes(options.attributes) }),
    ...(options.content === undefined ? {} : { content: parseContent(options.content) }),
  };
  const isInstalled = known.some(({ name, endpoint }) => name === config.name && endpoint === config.endpoint);
  const stored = isInstalled ? readTraceKeys(dataFolderOf(io))[config.name] : undefined;
  return { config, keys: await findKeys(config, options, stored, prompter, io) };
}

function optionTarget({ langfuse, otlp }: TargetOptions, { env }: Io): TraceTargetConfig | undefined {
  if (langfuse !== undefined && otlp !== undefined) {
    throw new UserError("usage", "one target is installed at a time", "give --langfuse or --otlp, then the other");
  }
  if (langfuse !== undefined) {
    const told = env["LANGFUSE_BASE_URL"] || env["LANGFUSE_HOST"] || LANGFUSE_CLOUD;
    return { name: "langfuse", kind: "langfuse", endpoint: langfuse === true ? told : langfuse };
  }
  return otlp === undefined ? undefined : { name: "otlp", kind: "otlp", endpoint: otlp };
}

function refuseEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === "") return;
  throw new UserError("usage", "the endpoint is no http or https address", "for example http://localhost:4318");
}

/** `stored` are the keys that this target has already. A target at another endpoint never inherits them. */
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
  const hint = "set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or name a file with --keys-file";
  throw new UserError("config", "the keys of Langfuse are missing; nothing was changed", hint);
}

function readKeysFile(path: string): TargetKeys {
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new UserError("config", `others may read the keys in ${path}`, `run \`chmod 600 ${path}\``);
  }
  const json = tryParseJson(readFileSync(path, "utf8"));
  const keys = { publicKey: stringAt(json, "publicKey"), secretKey: stringAt(json, "secretKey") };
  if (keys.publicKey && keys.secretKey) return keys;
  throw new UserError("config", `${path} holds no keys`, 'it should be { "publicKey": "…", "secretKey": "…" }');
}

export async function saveTarget(
  { config, keys }: ChosenTraceTarget,
  userId: string | undefined,
  io: Io,
): Promise<void> {
  const dir = dataFolderOf(io);
  writeTraceKeys(dir, config.name, keys);
  await updateConfig(dir, (all) => {
    const others = (all.trace?.targets ?? []).filter(({ name }) => name !== config.name);
    all.trace = { ...all.trace, targets: [...others, config], ...(userId === undefined ? {} : { userId }) };
  });
}

/** Forgets all targets and their keys. */
export async function removeTargets(io: Io): Promise<void> {
  const dir = dataFolderOf(io);
  const { trace } = await readSettings(io);
  if (!trace?.targets) return;
  for (const { name } of trace.targets) writeTraceKeys(dir, name, undefined);
  await updateConfig(dir, (all) => {
    all.trace = { ...all.trace, targets: [] };
  });
}
