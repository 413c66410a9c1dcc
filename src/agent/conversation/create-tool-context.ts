import type { JsonObject } from "../../format/json.js";
import type { ChatHost } from "../chat-host.js";
import type { ToolContext, WebSearch } from "../tools/tool-context.js";
import { answerText, askAside } from "./ask-aside.js";
import type { Conversation } from "./conversation.js";
import type { Call } from "./loop.js";
import { prLinkLine } from "./session-log/side-lines.js";

/** Gives a call everything that its tool may use. */
export function createToolContext(
  conversation: Conversation,
  call: Call,
  promptId: string,
  signal: AbortSignal,
): ToolContext {
  const { host, log, workspace, launcher } = conversation;
  const { person, allowsPrivateAddresses = false } = host.options;
  return {
    callId: call.id,
    signal,
    workspace,
    shells: host.shells,
    sandbox: host.sandbox,
    git: undefined,
    progress: (data) => {
      conversation.emit({ kind: "call-progress", call, data });
      host.log.addProgress(data, call.id, log);
    },
    beforeChange: (path) => {
      host.sandbox?.accept(path);
      host.log.beforeChange(path, conversation.recordOfChange(log.uuidOfCall(call.id)));
    },
    keepOutput: (text) => host.log.keepOutput(text),
    notePullRequest: (url) => host.log.addSide(toPrLink(url, host)),
    askModel: async (request) => answerText(await askAside(conversation, request, signal)),
    searchWeb: (request) => searchWeb(conversation, request, signal),
    launchAgent: (request) => launcher.launch({ request, call, from: conversation, promptId, signal }),
    askPerson: async (questions) => person?.answer(questions),
    leavePlanMode: (plan) => host.leavePlanMode(plan),
    allowsPrivateAddresses,
    isHidden: (path) => host.desk.forbidsReading(path, workspace),
  };
}

function toPrLink(url: string, { log }: ChatHost): JsonObject {
  const [, repository = "", number = "0"] = /^https:\/\/[^/]+\/([^/]+\/[^/]+)\/pull\/(\d+)/.exec(url) ?? [];
  return prLinkLine(log.sessionId, { number: Number(number), url, repository }, log.time());
}

const SEARCHER = "You search the web for another assistant. Search, then say shortly what was found and where.";
const MAX_SEARCHES = 5;

async function searchWeb(
  conversation: Conversation,
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
  return (await askAside(conversation, aside, signal)).blocks;
}
