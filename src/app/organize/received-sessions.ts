import { UserError } from "../../errors.js";
import type { FoundSession } from "../../library/found-session.js";
import { isInCache } from "../../library/machines/machine-sources.js";

/** For commands that change a session in its place: what another machine sent is only read here. */
export function refuseReceived(
  { id, path, source }: Pick<FoundSession, "id" | "path" | "source">,
  dataDir: string,
): void {
  if (!isInCache(dataDir, path)) return;
  const machine = source === null ? "another machine" : `the machine "${source}"`;
  const hint = `\`turnlog import ${id.slice(0, 8)}\` makes a session of this machine of it`;
  throw new UserError("usage", `session ${id} belongs to ${machine}`, hint);
}
