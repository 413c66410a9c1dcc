import type { JsonObject } from "../format/json.js";
import { answerText, askAside } from "./conversation/ask-aside.js";
import type { ChatCore, ContextOptions } from "./conversation/chat-core.js";
import type { Call } from "./conversation/loop.js";
import type { FileHistoryRecorder } from "./conversation/session-log/file-history-recorder.js";
import { progressLine } from "./conversation/session-log/lines.js";
import { keepToolResult } from "./conversation/session-log/open-record.js";
import type { ProgressBudget } from "./conversation/session-log/recorder.js";
import { prLinkLine } from "./conversation/session-log/side-lines.js";
import type { SubAgents } from "./sub-agents/sub-agents.js";
import type { Shells } from "./tools/shell/shells.js";
import type { Question, ToolContext, WebSearch } from "./tools/tool-context.js";

export interface ContextParts {
  readonly core: ChatCore;
  readonly shells: Shells;
  readonly budget: ProgressBudget;
  readonly history: () => FileHistoryRecorder;
  readonly subAgents: () => SubAgents;
  readonly askPerson: (questions: readonly Question[]) => Promise<Readonly<Record<string, string>> | undefined>;
  readonly leavePlanMode: ToolContext["leavePlanMode"];
  readonly allowsPrivateAddresses: boolean;
}

/** Gives a call everything that its tool may use. */
export function makeContext(parts: ContextParts, options: ContextOptions, call: Call, callUuid: string): ToolContext {
  const { core, shells, budget, history } = parts;
  const { workspace, recorder, depth, promptId, signal } = options;
  const progress = (data: JsonObject): void => {
    if (budget.takes(call.id, data)) recorder.addAside(progressLine(data, call.id, call.id));
  };
  return {
    callId: call.id,
    callUuid,
    signal,
    workspace,
    shells,
    git: undefined,
    progress,
    beforeChange: (path) => history().beforeChange(path, options.historyUuid ?? callUuid),
    keepOutput: (text) => keepToolResult(core.recorder.path, text),
    notePullRequest: (url) => core.recorder.addSide(toPrLink(url, core)),
    askModel: async (request) => answerText(await askAside(core, request, signal)),
    searchWeb: (request) => searchWeb(core, request, signal),
    launchAgent: (request) =>
      parts.subAgents().launch({
        request,
        callId: call.id,
        callUuid: options.historyUuid ?? callUuid,
        depth: depth + 1,
        promptId,
        signal,
        progress,
      }),
    askPerson: parts.askPerson,
    leavePlanMode: parts.leavePlanMode,
    allowsPrivateAddresses: parts.allowsPrivateAddresses,
    isHidden: (path) => core.desk.forbidsReading(path, workspace),
  };
}

function toPrLink(url: string, { recorder }: ChatCore): JsonObject {
  const [, repository = "", number = "0"] = /^https:\/\/[^/]+\/([^/]+\/[^/]+)\/pull\/(\d+)/.exec(url) ?? [];
  return prLinkLine(recorder.sessionId, { number: Number(number), url, repository }, recorder.time());
}

const SEARCHER = "You search the web for another assistant. Search, then say shortly what was found and where.";
const MAX_SEARCHES = 5;

async function searchWeb(
  core: ChatCore,
  { query, allowedDomains, blockedDomains }: WebSearch,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const tool = {
    type: "web_search_20250305",
    name: "web_search",
    max_uses: MAX_SEARCHES,
    ...(allowedDomains ? { allowed_domains: allowedDomains } : {}),
    ...(blockedDomains ? { blocked_domains: blockedDomains } : {}),
  };
  const aside = { system: SEARCHER, prompt: `Search the web for: ${query}`, serverTools: [tool] };
  return (await askAside(core, aside, signal)).blocks;
}
