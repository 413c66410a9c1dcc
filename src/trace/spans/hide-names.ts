import type { Observation, Trace } from "../observe/observation.js";

/** A stand-in for a name; the same for the same name. */
export type HashName = (kind: NameKind, name: string) => string;
export type NameKind = "agent" | "branch" | "hook" | "id" | "path" | "project" | "session" | "skill" | "tool";

/** For a caller that gives no hashes: names are told apart from nothing. */
const HIDDEN: HashName = () => "hidden";

/** A trace in which no name tells what somebody works on. Tools that Claude Code brings keep theirs. */
export function hideNames(trace: Trace, hash: HashName = HIDDEN): Trace {
  return {
    ...trace,
    sessionId: hideId("session", trace.sessionId, hash),
    tags: trace.tags.map((tag) => hideTag(tag, hash)),
    observations: trace.observations.map((observation) => hideInside(observation, hash)),
  };
}

function hideInside(observation: Observation, hash: HashName): Observation {
  const { name, kind, metadata, generation } = observation;
  return {
    ...observation,
    name:
      kind === "agent"
        ? named("agent", name, hash)
        : kind === "tool"
          ? hideTool(name, hash)
          : kind === "hook"
            ? hideHook(name, hash)
            : name,
    metadata: hideFacts(metadata, hash),
    generation: generation && {
      ...generation,
      responseId: generation.responseId && hideId("id", generation.responseId, hash),
      agentType: generation.agentType && named("agent", generation.agentType, hash),
    },
  };
}

function named(kind: NameKind, name: string, hash: HashName): string {
  return `${kind}:${hash(kind, name)}`;
}

/** `project:name`, `skill:name`. */
function hideTag(tag: string, hash: HashName): string {
  const at = tag.indexOf(":");
  return named(tag.startsWith("skill:") ? "skill" : "project", tag.slice(at + 1), hash);
}

/** Ids that programs make say nothing; others may be words of a person. */
const MADE_ID =
  /^(?:(?:toolu|srvtoolu|msg|req|call)_[\w-]{1,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|a?[0-9a-f]{6,32})$/i;

function hideId(kind: "id" | "session", id: string, hash: HashName): string {
  return MADE_ID.test(id) ? id : named(kind, id, hash);
}

const BUILT_IN: ReadonlySet<string> = new Set([
  ...[
    "Bash",
    "BashOutput",
    "KillShell",
    "KillBash",
    "PowerShell",
    "Monitor",
    "REPL",
    "LSP",
    "Sleep",
    "Brief",
    "Config",
  ],
  ...["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob", "Grep", "LS"],
  ...["Task", "Agent", "AgentOutputTool", "TaskOutput", "TaskStop", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"],
  ...["TodoRead", "TodoWrite", "Workflow", "SendMessage", "TeamCreate", "TeamDelete", "PushNotification"],
  ...["CronCreate", "CronDelete", "CronList", "ScheduleWakeup", "EnterWorktree", "ExitWorktree"],
  ...["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Skill", "SlashCommand", "ToolSearch", "StructuredOutput"],
  ...["ListMcpResources", "ListMcpResourcesTool", "ReadMcpResource", "ReadMcpResourceTool"],
  ...["WebFetch", "WebSearch", "web_fetch", "web_search", "code_execution", "bash_code_execution"],
]);

/** `mcp__server__tool` keeps its shape, so that calls of one server can still be counted. */
function hideTool(name: string, hash: HashName): string {
  if (BUILT_IN.has(name)) return name;
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  if (server === undefined || tool === undefined) return named("tool", name, hash);
  return `mcp__${hash("tool", server)}__${hash("tool", tool)}`;
}

const HOOK_EVENT =
  /^(?:PreToolUse|PostToolUse|PostToolUseFailure|PermissionRequest|Stop|StopFailure|SubagentStart|SubagentStop|SessionStart|SessionEnd|UserPromptSubmit|PreCompact|PostCompact|Notification|Setup|TaskCreated|TaskCompleted)$/;
const OWN_MATCHER = /^(?:startup|resume|clear|compact|manual|auto)$/;

/** An event, and what the hook was called for: a tool, or a word of Claude Code. */
function hideHook(name: string, hash: HashName): string {
  const [event = "", matcher] = name.split(/:(.*)/s);
  if (!HOOK_EVENT.test(event)) return named("hook", name, hash);
  if (matcher === undefined || OWN_MATCHER.test(matcher)) return name;
  return `${event}:${hideTool(matcher, hash)}`;
}

const NAMES: Readonly<Record<string, NameKind>> = { cwd: "path", git_branch: "branch", agent_type: "agent" };
const IDS: ReadonlySet<string> = new Set(["tool_id", "tool_ids", "agent_id"]);
/** Their values are words of Claude Code or of turnlog. */
const WORDS: ReadonlySet<string> = new Set([
  ...["source", "turn_kind", "client_version", "permission_mode", "status", "background", "trigger", "decision"],
  ...["decision_source", "waiting_for", "hook_event", "outcome", "truncated"],
]);
const PLAIN_WORD = /^[A-Za-z0-9][\w .+-]{0,40}$/;

/** What is not known to say nothing is left out. */
function hideFacts(facts: Observation["metadata"], hash: HashName): Observation["metadata"] {
  const hidden = Object.entries(facts).flatMap(([key, value]) => {
    const shown = hideFact(key, value, hash);
    return shown === undefined ? [] : [[key, shown] as const];
  });
  return Object.fromEntries(hidden);
}

function hideFact(key: string, value: unknown, hash: HashName): unknown {
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.flatMap((item) => hideFact(key, item, hash) ?? []);
  if (typeof value !== "string") return undefined;
  const kind = Object.hasOwn(NAMES, key) ? NAMES[key] : undefined;
  if (kind !== undefined) return named(kind, value, hash);
  if (key === "tool_name") return hideTool(value, hash);
  if (key === "hook_name") return hideHook(value, hash);
  if (key === "session_id") return hideId("session", value, hash);
  if (IDS.has(key)) return hideId("id", value, hash);
  return WORDS.has(key) && PLAIN_WORD.test(value) ? value : undefined;
}
