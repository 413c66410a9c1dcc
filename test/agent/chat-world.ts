import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { ChatOptions } from "../../src/agent/chat-options.js";
import type { ChatEvent } from "../../src/agent/conversation/chat-event.js";
import { createAnthropicModel } from "../../src/agent/model/anthropic-model.js";
import { type OpenedChat, openChat } from "../../src/agent/open-chat.js";
import type { JsonObject } from "../../src/format/json.js";
import { parseRecords } from "../../src/format/reader/record-reader.js";
import { describeSession, type Session } from "../../src/session/describe-session.js";
import { type Replay, toApiMessages } from "../../src/session/replay/api-replay.js";
import type { Problem } from "../../src/session/verify/problem-log.js";
import { verifySession } from "../../src/session/verify/verify-session.js";
import { closeAccount, openAccount } from "./agreed-usage.js";
import { type MockApi, type Script, startMockApi } from "./mock-api.js";

/** A project, a client's folder and a mock API, all temporary. */
export interface Place {
  readonly project: string;
  readonly configRoot: string;
  readonly dataDir: string;
  readonly home: string;
}

export function makePlace(files: Readonly<Record<string, string>> = {}): Place {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "chat-")));
  const project = join(home, "project");
  mkdirSync(project);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), content);
  }
  return { home, project, configRoot: join(home, ".claude"), dataDir: join(home, "turnlog") };
}

export interface ChatWorld {
  readonly place: Place;
  readonly api: MockApi;
  readonly opened: OpenedChat;
  readonly events: readonly ChatEvent[];
  send(text: string, signal?: AbortSignal): ReturnType<OpenedChat["chat"]["send"]>;
  readonly file: RecordedFile;
}

export interface ChatSetting {
  readonly place?: Place;
  readonly api?: MockApi;
  readonly idleMs?: number;
  readonly attempts?: number;
  readonly onEvent?: (event: ChatEvent) => void;
  /** False: the test changes the files so that their usage says nothing. */
  readonly isCounted?: boolean;
}

export async function startChat(
  script: Script,
  { place = makePlace(), idleMs = 5_000, attempts = 3, onEvent, isCounted = true, ...setting }: ChatSetting = {},
  options: Partial<ChatOptions> = {},
): Promise<ChatWorld> {
  const api = setting.api ?? (await startMockApi(script));
  const events: ChatEvent[] = [];
  const account = openAccount(place);
  const opened = await openChat({
    cwd: place.project,
    home: place.home,
    configRoot: place.configRoot,
    dataDir: place.dataDir,
    ownVersion: "0.1.0",
    model: createAnthropicModel({ apiKey: "key", baseUrl: api.url, idleMs, retry: { attempts, firstDelayMs: 1 } }),
    modelName: "claude-opus-5-5",
    session: { kind: "new" },
    mode: "bypassPermissions",
    listen: (event) => {
      events.push(event);
      account.events.push(event);
      onEvent?.(event);
    },
    ...options,
  });
  onTestFinished(async () => {
    await opened.chat.close();
    await api.close();
    if (isCounted) closeAccount(place);
  });
  return {
    place,
    api,
    opened,
    events,
    send: (text, signal = new AbortController().signal) => opened.chat.send(text, "typed", signal),
    get file() {
      return readRecorded(opened.log.path);
    },
  };
}

/** A session file as it is on the disk, read as everybody reads it. */
export interface RecordedFile {
  readonly path: string;
  readonly lines: readonly JsonObject[];
  readonly session: Session;
  readonly replay: Replay;
  /** Worth a warning at least. */
  readonly problems: readonly Problem[];
}

export function readRecorded(path: string): RecordedFile {
  const bytes = readFileSync(path);
  const records = parseRecords(bytes);
  return {
    path,
    lines: bytes
      .toString()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as JsonObject),
    session: describeSession(records),
    replay: toApiMessages(records),
    problems: verifySession([bytes], basename(path)).problems.filter(({ severity }) => severity !== "info"),
  };
}

/** Messages as the API sees them, without what belongs to one request only. */
export function sentMessages(api: MockApi, index = -1): unknown[] {
  const text = JSON.stringify(api.requests.at(index)?.messages, (key, value) =>
    key === "cache_control" ? undefined : value,
  );
  return JSON.parse(text) as unknown[];
}
