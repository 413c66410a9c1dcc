/** Ends of names whose values are secret. `…_MAX_OUTPUT_TOKENS` is none. */
const SECRET_END = "(?:KEY|TOKEN|SECRET|HEADERS|PASSWORD|PASSPHRASE|CREDENTIALS?)";
/** What opens the model. No program that a chat starts needs it. */
const OF_MODEL = new RegExp(`^(?:ANTHROPIC|CLAUDE)_(?:\\w+_)?${SECRET_END}$`);
/** What opens the places that traces are sent to. A hook may be the one that sends them. */
const OF_TRACES = new RegExp(`^(?:LANGFUSE|OTEL_EXPORTER|TURNLOG)_(?:\\w+_)?${SECRET_END}$`);

/** A shorter value could be part of anything. */
const MIN_SECRET_CHARS = 8;

/**
 * The environment of a program that a chat starts: ours without turnlog's own secrets. They are known by their names; a variable
 * with another name that contains the value of one of them is left out too. Secrets of other programs stay, because commands such
 * as `gh` and `npm` need them.
 */
export function childEnvironment(
  child: "command" | "hook",
  variables: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const entries = Object.entries({ ...process.env, ...variables });
  const isSecret = (name: string) => OF_MODEL.test(name) || (child === "command" && OF_TRACES.test(name));
  const secrets = entries.flatMap(([name, value = ""]) =>
    isSecret(name) && value.length >= MIN_SECRET_CHARS ? [value] : [],
  );
  return Object.fromEntries(
    entries.filter(([name, value = ""]) => !isSecret(name) && !secrets.some((secret) => value.includes(secret))),
  );
}
