import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Io } from "../../app/io.js";
import { type RootOptions, sessionRoots } from "../../app/roots.js";
import { settingsFolder } from "../../app/settings.js";
import { findSessions } from "../../library/find-sessions.js";
import { formatCount } from "../../render/format-values.js";
import { adoptSent, readOtherState } from "../../trace/adopt-state.js";
import { withOutbox } from "../../trace/outbox.js";

/** Remembers what cc-langfuse has sent, so that it is not sent again. */
export async function adoptOtherTracer(target: string, options: RootOptions, io: Io): Promise<void> {
  const roots = await sessionRoots(io, options);
  const folders = [...roots, join(homedir(), ".claude")];
  const states = [...new Set(folders)]
    .map((folder) => join(folder, "state", "cc-langfuse_state.json"))
    .filter(existsSync);
  const sent = new Map(states.flatMap((path) => [...readOtherState(path)]));
  if (sent.size === 0) return;
  const turns = await withOutbox(settingsFolder(io), (outbox) => {
    const known = findSessions(roots).sessions.filter(({ id }) => sent.has(id));
    return known.map(({ id, path }) => adoptSent(path, sent.get(id) ?? 0, target, outbox)).reduce((a, b) => a + b, 0);
  });
  io.stderr(`${formatCount(turns, "turn")} that cc-langfuse has sent will not be sent again\n`);
}
