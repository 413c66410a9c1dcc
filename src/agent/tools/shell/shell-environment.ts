/** Keys that are turnlog's own, not the project's: a command of the model must not see them. */
const OWN_SECRETS = /^(ANTHROPIC_(API_KEY|AUTH_TOKEN|CUSTOM_HEADERS)|CLAUDE_CODE_OAUTH_TOKEN|LANGFUSE_SECRET_KEY)$/;

export function shellEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !OWN_SECRETS.test(name));
  // Programs must not wait for a person, nor page or colour their output.
  const quiet = { GIT_EDITOR: "true", GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat", PAGER: "cat", TURNLOG: "1" };
  return { ...Object.fromEntries(kept), ...quiet };
}
