import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { attempt } from "../../format/folder-listing.js";
import { stringAt, tryParseJson } from "../../format/json.js";
import { agentIdOf, subagentMetaFile } from "../../format/layout.js";
import { type FollowedSession, followSession } from "../../library/follow-session.js";
import type { LoadedSession } from "../../library/load-session.js";
import type { FileChange } from "../../library/watch-roots.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { cutToColumns } from "../../session/titles.js";
import type { FollowView } from "./follow-view.js";

interface AgentTail {
  readonly followed: FollowedSession;
  readonly seen: Set<string>; // calls
  name: string | undefined;
}

const NAME_COLUMNS = 40;

/** What the sub-agents of sessions do from now on: their finished calls, each once. */
export class AgentTails {
  private readonly tails = new Map<string, AgentTail>();
  private readonly startedAt = new Date().toISOString();

  constructor(private readonly view: FollowView) {}

  close(): void {
    for (const { followed } of this.tails.values()) followed.close();
  }

  *news({ path, change }: Pick<FileChange, "path" | "change">, sessionId: string): Generator<string> {
    const id = agentIdOf(basename(path)) ?? "";
    const tail = this.tails.get(path) ?? { followed: followSession(path), seen: new Set(), name: undefined };
    const isOld = !this.tails.has(path) && change !== "created";
    this.tails.set(path, tail);
    const { session } = tail.followed.poll();
    if (!session) return;
    tail.name ??= nameOf(path, session) ?? id;
    for (const call of finishedCalls(session)) {
      if (tail.seen.has(call.id)) continue;
      tail.seen.add(call.id);
      const isBefore = isOld && (call.endedAt ?? "") < this.startedAt;
      if (!isBefore) yield this.view.agentCall(call, { id, name: tail.name }, sessionId);
    }
  }
}

function* finishedCalls(session: LoadedSession): Generator<ToolCall> {
  for (const { toolCalls } of [session.preamble(), ...session.turns()]) {
    yield* toolCalls.filter(({ status }) => status !== "orphan");
  }
}

/** As its call describes it (2.1.325), else the beginning of what it was asked. */
function nameOf(path: string, session: LoadedSession): string | undefined {
  const meta = attempt(path, [], () => tryParseJson(readFileSync(subagentMetaFile(path), "utf8")));
  const asked = session.outline.turns[0]?.start.text?.trim().replace(/\s+/g, " ");
  const name = stringAt(meta, "description") ?? asked;
  return name && cutToColumns(name, NAME_COLUMNS);
}
