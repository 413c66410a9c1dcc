import type { ChatOptions } from "./chat-options.js";
import { type Hook, readHooks } from "./hooks/read-hooks.js";
import { type ChatSettings, combineSettings, readSettingsFiles } from "./permissions/chat-settings.js";
import { describeIgnored, isTrusted, readGrants } from "./permissions/project-trust.js";
import { describeForeign } from "./project-file.js";
import { Workspace } from "./workspace.js";

export interface TrustedSettings {
  readonly values: ChatSettings;
  readonly hooks: readonly Hook[];
}

/** Settings files are read once: what counts is what was shown. */
export async function readTrustedSettings(options: ChatOptions): Promise<TrustedSettings> {
  const { configRoot, cwd, hooks = "off", dataDir, person, trustsProject = false, listen } = options;
  const files = readSettingsFiles(configRoot, cwd, (path) => listen({ kind: "notice", text: describeForeign(path) }));
  const grants = readGrants(files, cwd);
  const trusts = trustsProject || (grants !== undefined && (await isTrusted(grants, dataDir, person)));
  if (grants && !trusts) listen({ kind: "notice", text: describeIgnored(grants, person !== undefined) });
  return { values: combineSettings(files, trusts), hooks: readHooks(files, hooks, trusts) };
}

export function openWorkspace(options: ChatOptions, settings: ChatSettings): Workspace {
  const workspace = new Workspace(options.cwd, options.additionalDirectories ?? [], options.home);
  for (const folder of settings.additionalDirectories) workspace.addRoot(workspace.resolve(folder));
  workspace.variables = settings.env;
  return workspace;
}
