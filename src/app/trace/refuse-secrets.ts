import { UserError } from "../../errors.js";
import type { TraceTargetConfig } from "../../store/config.js";
import { maskingRedactor } from "../redaction.js";
import type { Environment } from "../settings.js";

/** What a target is told to carry is stored as it is, shown, and sent with every turn: no place for keys. */
export async function refuseSecrets(config: TraceTargetConfig, environment: Environment): Promise<void> {
  const redactor = await maskingRedactor(environment);
  for (const [option, text] of settingsOf(config)) {
    if (redactor.text(text) === text) continue;
    const what = option === "--otlp" ? "the address holds a secret" : `${option} holds a secret`;
    const hint = "only --header and --keys-file are for keys: they are kept apart, and shown nowhere";
    throw new UserError("usage", `${what}: ${redactor.text(text)}`, hint);
  }
}

/** By the options that set them. */
function settingsOf(config: TraceTargetConfig): (readonly [option: string, text: string])[] {
  const { endpoint, name, environment, release, userId, serviceName, metadata = {}, resource = {} } = config;
  const single = { "--otlp": endpoint, "--name": name, "--environment": environment, "--release": release };
  const others = { "--user": userId, "--service-name": serviceName };
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return [
    ...Object.entries({ ...single, ...others }).flatMap(([option, text]) => (text ? [[option, text] as const] : [])),
    ...pairs(metadata).map((text) => ["--metadata", text] as const),
    ...pairs(resource).map((text) => ["--resource", text] as const),
  ];
}
