/** Ends of names whose values are secret. `…_MAX_OUTPUT_TOKENS` is none. */
const SECRET_END = "(?:KEY|TOKEN|SECRET|HEADERS|PASSWORD|PASSPHRASE|CREDENTIALS?)";
/** What opens the model. No program that a chat starts needs it. */
const OF_MODEL = new RegExp(`^(?:ANTHROPIC|CLAUDE)_(?:\\w+_)?${SECRET_END}$`);
/** What opens the places that traces are sent to. A hook may be the one that sends them. */
const OF_TRACES = new RegExp(`^(?:LANGFUSE|OTEL_EXPORTER|TURNLOG)_(?:\\w+_)?${SECRET_END}$`);

/** In the sandbox no program needs a secret: it runs without a question. `PGPASSWORD` and `MYSQL_PWD` are such names. */
const OF_ANYBODY = [
  /SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY/i,
  /(?:KEYS?|TOKEN|HEADERS|PASS|(?<!^(?:OLD)?)PWD|AUTH|COOKIES?|DSN|_PAT)$/i,
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DOCKER_HOST)$/i, // sockets lead out of it
];
/** An address with a password. */
const WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;
const OF_DESKTOP = /^(?:DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DBUS_\w+|TMUX\w*|STY)$/;

/** A shorter value could be part of anything. */
const MIN_SECRET_CHARS = 8;

/**
 * The environment of a program that a chat starts: ours without turnlog's own secrets. They are known by their names; a variable
 * with another name that contains the value of one of them is left out too. Secrets of other programs stay outside of the sandbox,
 * because commands such as `gh` and `npm` need them.
 */
export function childEnvironment(
  child: "command" | "hook" | "sandbox",
  variables: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const entries = Object.entries({ ...process.env, ...variables });
  const isForeign = (name: string, value: string) =>
    child === "sandbox" && ([...OF_ANYBODY, OF_DESKTOP].some((form) => form.test(name)) || WITH_PASSWORD.test(value));
  const own = new Set(namesOfSecrets(entries, child === "hook"));
  return Object.fromEntries(entries.filter(([name, value = ""]) => !own.has(name) && !isForeign(name, value)));
}

/** Variables with turnlog's own secrets. */
export function namesOfSecrets(
  entries: readonly (readonly [name: string, value: string | undefined])[],
  isForHook = false,
): readonly string[] {
  const isOwn = (name: string) => OF_MODEL.test(name) || (!isForHook && OF_TRACES.test(name));
  const secrets = entries.flatMap(([name, value = ""]) =>
    isOwn(name) && value.length >= MIN_SECRET_CHARS ? [value] : [],
  );
  return entries.flatMap(([name, value = ""]) =>
    isOwn(name) || secrets.some((secret) => value.includes(secret)) ? [name] : [],
  );
}
