import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ChatEvent } from "../../src/agent/conversation/chat-event.js";
import { toUsageCounters } from "../../src/format/record/usage-counters.js";
import { loadSession } from "../../src/library/load/load-session.js";
import { sumUsage, toUsage, type Usage } from "../../src/session/messages/usage.js";
import type { Place } from "./chat-world.js";

interface Account {
  /** What the files had before the first chat. */
  readonly before: Usage;
  readonly events: ChatEvent[];
  openChats: number;
}

const accounts = new WeakMap<Place, Account>();

/** Every chat of a place is opened before anything is recorded in it. */
export function openAccount(place: Place): Account {
  const account = accounts.get(place) ?? { before: usageOfFiles(place), events: [], openChats: 0 };
  account.openChats += 1;
  accounts.set(place, account);
  return account;
}

/** When the last chat of a place has ended, `stats` must count exactly what the chats said that they recorded. */
export function closeAccount(place: Place): void {
  const account = accounts.get(place);
  if (!account || --account.openChats > 0) return;
  expect(usageOfFiles(place), "stats and the chat agree").toEqual(
    sumUsage([account.before, saidUsage(account.events)]),
  );
}

function saidUsage(events: readonly ChatEvent[]): Usage {
  return sumUsage(
    events.flatMap((event) => {
      const counters = event.kind === "usage" && event.isRecorded ? toUsageCounters(event.usage) : undefined;
      return counters ? toUsage(counters) : [];
    }),
  );
}

/** Of all sessions with their sub-agents, as `stats` counts them. */
export function usageOfFiles({ configRoot }: Pick<Place, "configRoot">): Usage {
  const folder = join(configRoot, "projects");
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  const sessions = files.filter((name) => name.endsWith(".jsonl") && !name.includes("agent-"));
  return sumUsage(sessions.map((name) => loadSession(join(folder, name)).costs().totalUsage));
}
