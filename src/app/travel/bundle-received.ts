import { UserError } from "../../errors.js";
import type { FoundSession } from "../../library/found-session.js";
import { readAbout } from "../../library/machines/receive.js";
import { chooseSession } from "../choose-session.js";
import { loadOptions } from "../load-options.js";
import { cachedMachines } from "../organize/sync.js";
import type { Environment } from "../settings.js";
import { type BundleDraft, bundleToDraft } from "./bundle-sessions.js";

/** A bundle of a session of another machine, to be imported here. Undefined where no machine is synced: then the name can only be that of a file. */
export async function bundleReceived(name: string, environment: Environment): Promise<BundleDraft | undefined> {
  const machines = await cachedMachines(environment);
  if (machines.length === 0) return undefined;
  const settings = await loadOptions(environment);
  const roots = machines.map(({ cache }) => cache.root);
  const found = chooseSession(name, roots, environment, { ...settings, archive: undefined });
  const cacheOf = ({ root }: FoundSession) => machines.find(({ cache }) => cache.root === root)?.cache;
  if (!cacheOf(found)) throw new UserError("not-found", `no bundle and no session of another machine: ${name}`);
  const originOf = (session: FoundSession) => {
    const cache = cacheOf(session);
    return cache && readAbout(cache, session.path);
  };
  return bundleToDraft(
    { sessions: [found], redactor: undefined, passphrase: undefined, settings, originOf },
    environment,
  );
}
