import { join } from "node:path";
import { errorCode, readIfPresent, readIfReadable, UserError } from "../errors.js";
import { atomicWrite } from "./atomic-write.js";
import { dataPaths, ensureDataDir } from "./data-dir.js";

/** The contents of config.json; defaults are set where values are used. */
export interface Config {
  /** Claude Code's configuration folders, if CLAUDE_CONFIG_DIR is not set. */
  configDirs?: string[] | undefined;
  /** More folders with sessions, each with a name. */
  sources?: { name: string; path: string }[] | undefined;
  roundGapMinutes?: number | undefined;
  pricesFile?: string | undefined;
  /** `background` false: no process builds the index while nobody waits for it. */
  index?: { background?: boolean | undefined } | undefined;
  /** `warn` false: nothing is said of sessions that Claude Code deletes soon. */
  archive?:
    | {
        enabled?: boolean | undefined;
        maxBytes?: number | undefined;
        keepDays?: number | undefined;
        warn?: boolean | undefined;
      }
    | undefined;
  /** Commands of `turnlog chat`. `readable`: more of the home folder that they may read. */
  sandbox?:
    | {
        enabled?: boolean | undefined;
        network?: boolean | undefined;
        unixSockets?: boolean | undefined;
        readable?: string[] | undefined;
      }
    | undefined;
  redact?: { emails?: boolean | undefined; patternsFile?: string | undefined } | undefined;
  /** Limits of what sessions may spend; of one `per` and `project` there is one. */
  budgets?: BudgetConfig[] | undefined;
  /** `off`: folders of projects of which nothing is sent. `isOff`: of none. */
  trace?:
    | {
        userId?: string | undefined;
        targets?: TraceTargetConfig[] | undefined;
        off?: string[] | undefined;
        isOff?: boolean | undefined;
      }
    | undefined;
}

export interface BudgetConfig {
  usd: number;
  per: "session" | "day" | "week" | "month" | "total";
  /** As `--project` takes it; without one, of all projects. */
  project?: string | undefined;
  /** The share of it at which a warning comes, 0 to 1. */
  warn?: number | undefined;
  /** Stops prompts and tool calls when it is reached. */
  hard?: boolean | undefined;
}

/** Where traces are sent, and what they are like. Its keys are stored separately. */
export interface TraceTargetConfig {
  name: string;
  kind: "langfuse" | "otlp";
  endpoint: string;
  /** The endpoint is the address of traces itself: nothing is added to it. */
  isComplete?: boolean | undefined;
  /** What the backend calls the account that the keys belong to, where it says so. */
  account?: string | undefined;
  protocol?: "http/json" | "http/protobuf" | undefined;
  timeoutMs?: number | undefined;
  attributes?: "genai" | "general" | "langfuse" | "openinference" | "all" | undefined;
  content?: "all" | "prompts" | "none" | undefined;
  input?: "new" | "full" | undefined;
  traceIds?: "records" | "session" | undefined;
  environment?: string | undefined;
  release?: string | undefined;
  userId?: string | undefined;
  metadata?: Record<string, string> | undefined;
  serviceName?: string | undefined;
  resource?: Record<string, string> | undefined;
  attach?: boolean | undefined;
  metrics?: boolean | undefined;
}

/** A missing file is an empty config. */
export async function readConfig(dir: string): Promise<Config> {
  const path = dataPaths(dir).config;
  const text = readConfigText(path);
  return text === undefined ? {} : checkConfig(path, parseJson(path, text));
}

/** The same as it stands there, for what must start fast; anything but an object is as no config. */
export function readConfigUnchecked(dir: string): Config {
  const text = readIfReadable(dataPaths(dir).config);
  const json = text === undefined ? undefined : tryParse(text);
  return typeof json === "object" && json !== null && !Array.isArray(json) ? json : {};
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined; // every other command says what is wrong with it
  }
}

/** `change` edits the config in place, so that unknown keys at any depth are preserved. The lock is loaded here: most commands write nothing. */
export async function updateConfig(dir: string, change: (config: Config) => void): Promise<Config> {
  const { acquireLock } = await import("./lock.js");
  const path = dataPaths(dir).config;
  const lock = await acquireLock(join(ensureDataDir(dir, "locks"), "config.lock"), { purpose: "changing the config" });
  try {
    const config = await readConfig(dir);
    change(config);
    await checkConfig(path, config);
    atomicWrite(path, `${JSON.stringify(config, undefined, 2)}\n`);
    return config;
  } finally {
    lock.release();
  }
}

function readConfigText(path: string): string | undefined {
  try {
    return readIfPresent(path);
  } catch (error) {
    const hint = "check what it is and who may read it";
    throw new UserError("config", `cannot read ${path} (${errorCode(error) ?? error})`, hint, { cause: error });
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")); // editors on Windows add a byte order mark
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\s+/g, " ") : "";
    throw new UserError("config", `config.json is not JSON: ${reason}`, `Correct ${path}, or remove it.`, {
      cause: error,
    });
  }
}

/** Returns the same object, with its unknown keys. zod is loaded lazily: most users have no config. */
async function checkConfig(path: string, json: unknown): Promise<Config> {
  const z = await import("zod");
  const schema = z.looseObject({
    configDirs: z.array(z.string().min(1)).optional(),
    sources: z.array(z.looseObject({ name: z.string().min(1), path: z.string().min(1) })).optional(),
    roundGapMinutes: z.number().positive().optional(),
    pricesFile: z.string().min(1).optional(),
    index: z.looseObject({ background: z.boolean().optional() }).optional(),
    archive: z
      .looseObject({
        enabled: z.boolean().optional(),
        maxBytes: z.number().positive().optional(),
        keepDays: z.number().positive().optional(),
        warn: z.boolean().optional(),
      })
      .optional(),
    sandbox: z
      .looseObject({
        enabled: z.boolean().optional(),
        network: z.boolean().optional(),
        unixSockets: z.boolean().optional(),
        readable: z.array(z.string().min(1)).optional(),
      })
      .optional(),
    redact: z.looseObject({ emails: z.boolean().optional(), patternsFile: z.string().min(1).optional() }).optional(),
    budgets: z
      .array(
        z.looseObject({
          usd: z.number().positive(),
          per: z.enum(["session", "day", "week", "month", "total"]),
          project: z.string().min(1).optional(),
          warn: z.number().positive().max(1).optional(),
          hard: z.boolean().optional(),
        }),
      )
      .optional(),
    trace: traceSchema(z),
  });
  const checked = schema.safeParse(json);
  if (checked.success) return json as Config;
  const [issue] = checked.error.issues;
  const key = issue?.path.join(".") || "the whole file";
  throw new UserError("config", `config.json: ${key}: ${issue?.message}`, `Correct ${path}, or remove the key.`);
}

function traceSchema(z: typeof import("zod")) {
  const text = z.string().min(1);
  const target = z.looseObject({
    name: text,
    kind: z.enum(["langfuse", "otlp"]),
    endpoint: z.url({ protocol: /^https?$/ }),
    isComplete: z.boolean().optional(),
    account: text.optional(),
    protocol: z.enum(["http/json", "http/protobuf"]).optional(),
    timeoutMs: z.number().positive().optional(),
    attributes: z.enum(["genai", "general", "langfuse", "openinference", "all"]).optional(),
    content: z.enum(["all", "prompts", "none"]).optional(),
    input: z.enum(["new", "full"]).optional(),
    traceIds: z.enum(["records", "session"]).optional(),
    environment: text.optional(),
    release: text.optional(),
    userId: text.optional(),
    metadata: z.record(z.string(), z.string()).optional(),
    serviceName: text.optional(),
    resource: z.record(z.string(), z.string()).optional(),
    attach: z.boolean().optional(),
    metrics: z.boolean().optional(),
  });
  return z
    .looseObject({
      userId: text.optional(),
      targets: z.array(target).optional(),
      off: z.array(text).optional(),
      isOff: z.boolean().optional(),
    })
    .optional();
}
