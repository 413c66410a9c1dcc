import { existsSync } from "node:fs";
import type { RootOptions } from "../../../app/session-roots.js";
import { adoptOtherTracer } from "../../../app/trace/adopt-sent.js";
import { checkKeys, removeTargets, saveTarget, type TargetWithKeys } from "../../../app/trace/trace-settings.js";
import { readText, UserError } from "../../../errors.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import {
  addHooks,
  areSettings,
  findOtherTracers,
  hasHooks,
  hasPlugin,
  OTHER_TRACERS,
  type OtherTracer,
  removeHooks,
  removeTracer,
  SYNC,
} from "../../../trace/hook/claude-settings.js";
import {
  applyChange,
  hookCommandFor,
  readClientSettings,
  SCOPES,
  type SettingsOptions,
  settingsPath,
  withPrompter,
} from "../../client-settings.js";
import type { Io } from "../../io.js";
import type { Prompter } from "../../terminal/prompter.js";
import { askForKeys, type ChosenTarget, chooseTraceTarget, type TargetOptions } from "./choose-trace-target.js";

export interface InstallOptions extends TargetOptions, RootOptions, SettingsOptions {
  /** Names of other tracers. */
  readonly replace?: readonly string[];
  /** False: the backend is not asked. */
  readonly check?: boolean;
  readonly sameAccount?: boolean;
  readonly sync?: boolean;
}

/** Adds turnlog's hook to Claude Code's settings, after showing the change; the old settings are backed up. */
export async function installTrace(options: InstallOptions, io: Io): Promise<void> {
  await withPrompter(io, async (prompter) => {
    const path = settingsPath(options, io);
    const before = readClientSettings(path);
    const replaced = chooseReplaced(options);
    const target = await checkChosen(await chooseTraceTarget(options, io), options, prompter, io);
    const base = replaced.reduce((text, tracer) => removeTracer(text, tracer), before);
    for (const { name } of findOtherTracers(base)) io.stderr(doubleNote(name));
    for (const found of tracersElsewhere(options, io)) io.stderr(neutralize(elsewhereNote(found)));
    if (options.scope === "project") io.stderr(SHARED_NOTE);
    if (isPluginOn(options, io)) io.stderr(PLUGIN_NOTE);
    const after = addHooks(base, commandFor(options, io));
    if (!(await applyChange({ path, before, after }, options, prompter, io))) return;
    const saved = await saveTarget(target, options.sameAccount ?? false, io);
    const adopts = replaced.some(({ name }) => name === "cc-langfuse");
    const adopted = adopts ? await adoptOtherTracer(saved.target, options, io) : undefined;
    if (adopted !== undefined) {
      io.stderr(`${formatCount(adopted, "turn")} that cc-langfuse has sent will not be sent again\n`);
    }
    if (saved.keychain !== null) io.stderr(`its keys are in the keychain (${saved.keychain})\n`);
    if (saved.refusedBy !== null)
      io.stderr(`${saved.refusedBy} did not take its keys: they are in a file that only you can read\n`);
    if (saved.waiting > 0) io.stderr(`${formatCount(saved.waiting, "span")} that waited will be sent to it\n`);
    const { name } = target.config;
    await io.stdout(neutralize(`installed: turns are sent to ${name} from now on (try \`turnlog trace test\`)\n`));
  });
}

function chooseReplaced({ replace = [] }: InstallOptions): OtherTracer[] {
  return replace.map((name) => {
    const tracer = OTHER_TRACERS.find((known) => known.name === name);
    if (tracer) return tracer;
    const hint = `the known ones are ${OTHER_TRACERS.map((known) => known.name).join(", ")}`;
    throw new UserError("usage", `--replace does not know ${name}`, hint);
  });
}

const DOUBLE = `it sends every turn a second time, which doubles tokens and cost where both send to
one project`;

function doubleNote(name: string): string {
  return `${name} is installed, too: ${DOUBLE} (\`--replace ${name}\` switches it off)\n`;
}

function elsewhereNote({ name, path }: TracerElsewhere): string {
  return `${name} is installed in ${path}, too: ${DOUBLE} (switch it off there)\n`;
}

interface TracerElsewhere {
  readonly name: string;
  readonly path: string;
}

/** In the settings of the other scopes, which apply here as well. */
function tracersElsewhere(options: InstallOptions, io: Io): TracerElsewhere[] {
  const own = settingsPath(options, io);
  const paths = new Set(SCOPES.map((scope) => settingsPath({ ...options, scope }, io)));
  return [...paths]
    .filter((path) => path !== own && existsSync(path))
    .flatMap((path) => {
      const text = readText(path);
      return areSettings(text) ? findOtherTracers(text).map(({ name }) => ({ name, path })) : [];
    });
}

/** Asks the backend whether it takes the keys; where it does not take those that were stored, other ones are asked for. */
async function checkChosen(
  chosen: ChosenTarget,
  options: InstallOptions,
  prompter: Prompter,
  io: Io,
): Promise<TargetWithKeys> {
  const { config } = chosen;
  const isLangfuse = config.kind === "langfuse";
  const keys = isLangfuse && !chosen.keys?.secretKey ? await askForKeys(prompter) : chosen.keys;
  if (options.check === false) return { config, keys };
  const checked = await checkKeys({ config, keys }, io);
  if (checked.kind === "unauthorized" && isLangfuse && chosen.areKeysStored) {
    io.stderr(neutralize(`the stored keys do not work (${checked.reason})\n`));
    return checkChosen({ config, keys: await askForKeys(prompter), areKeysStored: false }, options, prompter, io);
  }
  if (checked.kind !== "fine") {
    const hint = "nothing was changed; --no-check installs it without asking the backend";
    throw new UserError("config", `${config.name} cannot be used: ${checked.reason}`, hint);
  }
  io.stderr(neutralize(`${config.name}: ${checked.found}\n`));
  if (checked.doubt !== undefined) io.warn(`${config.name}: ${checked.doubt}`);
  const account = checked.account === undefined ? {} : { account: checked.account };
  return { config: { ...config, ...account }, keys };
}

const SHARED_NOTE = `these settings apply to everyone in the project: each needs \`turnlog\` on the PATH, and their own targets
(use \`--scope local\` for yourself only)
`;

const PLUGIN_NOTE = "turnlog's plugin is installed, too: its hook stays silent where these settings have one\n";

function isPluginOn(options: InstallOptions, io: Io): boolean {
  return SCOPES.some((scope) => hasPlugin(readClientSettings(settingsPath({ ...options, scope }, io))));
}

function commandFor(options: InstallOptions, io: Io): string {
  const command = hookCommandFor(options, io);
  return options.sync ? `${command}${SYNC}` : command;
}

/** Removes turnlog's hook, the targets and their keys. */
export async function uninstallTrace(options: InstallOptions, io: Io): Promise<void> {
  await withPrompter(io, async (prompter) => {
    if (options.name !== undefined) return removeOne(options.name, io);
    const path = settingsPath(options, io);
    const before = readClientSettings(path);
    const command = commandFor(options, io);
    if (!hasHooks(before, command)) throw notInstalled(path, options, io);
    if (!(await applyChange({ path, before, after: removeHooks(before, command) }, options, prompter, io))) return;
    const elsewhere = scopesWithHooks(options, io);
    if (elsewhere.length > 0) {
      const hint = `they still send (\`turnlog trace uninstall --scope ${elsewhere[0]}\`)`;
      await io.stdout(
        `uninstalled here; the targets stay, because the ${elsewhere.join(" and ")} settings have a hook: ${hint}\n`,
      );
      return;
    }
    await removeTargets(undefined, io);
    await io.stdout("uninstalled: nothing is sent from now on\n");
  });
}

async function removeOne(name: string, io: Io): Promise<void> {
  await removeTargets(name, io);
  await io.stdout(neutralize(`removed ${name} and its keys; the hook stays for the other targets\n`));
}

function scopesWithHooks(options: InstallOptions, io: Io): string[] {
  return SCOPES.filter((scope) => {
    const there = { ...options, scope };
    return hasHooks(readClientSettings(settingsPath(there, io)), commandFor(there, io));
  });
}

/** Targets without a hook anywhere are what is left of an installation. */
function notInstalled(path: string, options: InstallOptions, io: Io): UserError {
  const [elsewhere] = scopesWithHooks(options, io);
  const hint =
    elsewhere === undefined
      ? "no settings have it; `turnlog trace uninstall --name <target>` removes a target"
      : `the ${elsewhere} settings have it: \`turnlog trace uninstall --scope ${elsewhere}\``;
  return new UserError("not-found", `${path} has no hook of turnlog; nothing was changed`, hint);
}
