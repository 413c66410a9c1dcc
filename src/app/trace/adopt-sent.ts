import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, numberAt, tryParseJson } from "../../format/json.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { homeFolder } from "../../own-user.js";
import { traceSession } from "../../trace/observe/trace-session.js";
import type { LedgerOwner } from "../../trace/outbox/ledgers.js";
import { type Outbox, withOutbox } from "../../trace/outbox/outbox.js";
import { type RootOptions, sessionRoots } from "../session-roots.js";
import { dataFolderOf, type Environment } from "../settings.js";

/** Marks the turns that cc-langfuse has sent as sent. Returns their number, or undefined if it has sent none. */
export async function adoptOtherTracer(
  target: LedgerOwner,
  options: RootOptions,
  environment: Environment,
): Promise<number | undefined> {
  const roots = await sessionRoots(environment, options);
  const folders = [...roots, join(homeFolder(), ".claude")];
  const states = [...new Set(folders)]
    .map((folder) => join(folder, "state", "cc-langfuse_state.json"))
    .filter(existsSync);
  const sent = new Map(states.flatMap((path) => [...readOtherState(path)]));
  if (sent.size === 0) return undefined;
  return withOutbox(dataFolderOf(environment), (outbox) => {
    const ledger = outbox.ledgerOf(target);
    const known = findSessions(roots).sessions.filter(({ id }) => sent.has(id));
    return known.map(({ id, path }) => adoptSent(path, sent.get(id) ?? 0, ledger, outbox)).reduce((a, b) => a + b, 0);
  });
}

/** How many lines of each session cc-langfuse has sent, by session id. */
function readOtherState(path: string): ReadonlyMap<string, number> {
  const json = tryParseJson(readFileSync(path, "utf8"));
  const entries = isObject(json) ? Object.entries(json) : [];
  return new Map(entries.map(([session, state]) => [session, numberAt(state, "last_line") ?? 0]));
}

/** Marks the turns of a session up to a line as sent. Returns their number. */
function adoptSent(path: string, lastLine: number, ledger: string, outbox: Outbox): number {
  let turns = 0;
  for (const { trace, position } of traceSession(path, { state: { kind: "ended" } })) {
    if (position === null || position.line > lastLine) continue;
    outbox.markSent(
      ledger,
      trace.observations.map(({ spanId }) => spanId),
      path,
    );
    turns += 1;
  }
  return turns;
}
