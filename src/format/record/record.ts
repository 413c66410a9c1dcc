import {
  arrayAt,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from "../json.js";
import type { ContentBlock } from "./content-block.js";
import type { UsageCounters } from "./usage-counters.js";

/**
 * One line of a session file. `kind` is ours and closed, Claude Code's `type` is open: a type from the future becomes
 * `other`, what is not a JSON object becomes `broken`.
 */
export type LogRecord =
  | UserRecord
  | AssistantRecord
  | SystemRecord
  | AttachmentRecord
  | ProgressRecord
  | SideRecord
  | OtherRecord
  | BrokenRecord;

export interface Place {
  readonly line: number; // 1-based, as editors count
  readonly offset: number; // bytes from the start of the file
  readonly length: number; // bytes, without the newline
}

interface Envelope extends Place {
  readonly type: string;
  readonly uuid: string | undefined;
  readonly parentUuid: string | null | undefined; // null: a root; undefined: the record does not say
  readonly timestamp: string | undefined;
  readonly sessionId: string | undefined;
  readonly isSidechain: boolean;
  readonly isMeta: boolean;
  readonly agentId: string | undefined;
  readonly cwd: string | undefined;
  readonly version: string | undefined;
  readonly gitBranch: string | undefined;
  readonly slug: string | undefined;
  readonly forkedFrom: ForkOrigin | undefined;
  readonly recordedBy: { readonly name: string; readonly version: string | undefined } | undefined;
  /** Identifies the bytes of a line that has no uuid. */
  readonly fingerprint: string | undefined;
  /** The JSON as written; where `isAbridged`, with long strings cut and deep values emptied. */
  readonly raw: JsonObject;
  readonly isAbridged: boolean;
}

export interface ForkOrigin {
  readonly sessionId: string;
  readonly messageUuid: string | undefined;
}

/** How the note begins that asks the model to go on after the network cut its answer off. */
export const CUT_NOTE = "Your response above was cut off mid-stream";

export interface UserRecord extends Envelope {
  readonly kind: "user";
  readonly blocks: readonly ContentBlock[];
  readonly isCompactSummary: boolean;
  readonly permissionMode: string | undefined;
  readonly promptSource: string | undefined;
  readonly turnOrigin: string | undefined;
  readonly originKind: string | undefined;
  readonly toolUseResult: unknown;
  /** The sub-agent, background task or run of a workflow that the call of this result launched. */
  readonly launchedId: string | undefined;
  readonly toolDenialKind: string | undefined;
  /** Claude Code asks the model to go on after the network cut its answer, which is the parent (2.1.326). */
  readonly followsCut: boolean;
  /** The uuid by which other records name this one, where it was stored under a new one (2.1.326). */
  readonly sentAsUuid: string | undefined;
}

export interface AssistantRecord extends Envelope {
  readonly kind: "assistant";
  readonly blocks: readonly ContentBlock[];
  readonly messageId: string | undefined;
  readonly requestId: string | undefined;
  /** The session that made the request, where this is a copy of another session's message (2.1.326). */
  readonly requestSessionId: string | undefined;
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  readonly usage: UsageCounters | undefined;
  readonly speed: string | undefined; // "fast" costs more
  readonly apiBlockIndex: number | undefined;
  readonly isApiError: boolean;
  readonly isAborted: boolean; // Esc while it streamed
  /** Since 2.1.200 a complete message has them, if only as null; one that was cut in mid-stream has none. */
  readonly hasStopDetails: boolean;
}

export interface SystemRecord extends Envelope {
  readonly kind: "system";
  readonly subtype: string | undefined;
  readonly content: string | undefined;
  readonly logicalParentUuid: string | undefined;
  readonly durationMs: number | undefined;
  readonly compaction: CompactionFields | undefined;
}

export interface CompactionFields {
  readonly trigger: string | undefined;
  readonly preTokens: number | undefined;
  readonly postTokens: number | undefined;
  readonly preserved: PreservedFields | undefined;
}

/** Records, usually before the boundary, that stay in the context after it. */
export interface PreservedFields {
  readonly uuids: readonly string[];
  readonly head: string | undefined;
  readonly tail: string | undefined;
  /** The record that they follow: the summary, or the boundary itself where only later messages were summarised. */
  readonly anchor: string | undefined;
}

export interface AttachmentRecord extends Envelope {
  readonly kind: "attachment";
  readonly attachmentType: string | undefined;
  readonly attachment: JsonObject;
  readonly queued: QueuedMessage | undefined;
}

/** Screen updates of older versions; they are nodes of the parent chain all the same. */
export interface ProgressRecord extends Envelope {
  readonly kind: "progress";
  readonly progressType: string | undefined;
  readonly parentToolUseId: string | undefined;
  readonly progressAgentId: string | undefined;
}

/** Known facts about the session outside the conversation: titles, queue operations, snapshots, costs. */
export interface SideRecord extends Envelope {
  readonly kind: "side";
  readonly fact: SideFact;
}

export interface OtherRecord extends Envelope {
  readonly kind: "other";
}

export interface BrokenRecord extends Place {
  readonly kind: "broken";
  readonly type: undefined;
  readonly reason: string;
  readonly text: string; // the beginning of it; the bytes are at `offset`
  readonly isTruncatedTail: boolean; // an unterminated last line, which a live session may still complete
}

/** What a side record says about its session; `nothing` for those that only serve Claude Code's own screen or log. */
type SideFact =
  | { readonly kind: "customTitle" | "aiTitle" | "tag"; readonly text: string | null }
  | { readonly kind: "summary"; readonly text: string; readonly leafUuid: string | null }
  | LastPromptFact
  | { readonly kind: "cost"; readonly usd: number | null }
  | { readonly kind: "mark"; readonly type: "ended-by-model" | "memory-mode"; readonly mode: string | null }
  | PullRequestFact
  | { readonly kind: "queue"; readonly operation: string; readonly content: string | null }
  | ForkContextFact
  | { readonly kind: "continuedIn"; readonly sessionId: string }
  | { readonly kind: "derivedFrom"; readonly sessions: readonly DerivedFrom[] }
  | { readonly kind: "replacements"; readonly results: readonly ResultReplacement[] }
  | { readonly kind: "nothing" };

/** What the model saw instead of the stored result of a call. */
interface ResultReplacement {
  readonly toolUseId: string;
  readonly text: string;
}

export interface LastPromptFact {
  readonly kind: "lastPrompt";
  readonly text: string | null;
  readonly leafUuid: string | null;
  /** The conversation ends exactly at that record, and resumes empty where it is null (2.1.301). */
  readonly isExplicit: boolean;
}

export interface PullRequestFact {
  readonly kind: "pullRequest";
  readonly number: number | null;
  readonly url: string | null;
  readonly repository: string | null;
}

/** The conversation that a forked sub-agent began with: all up to a record of a session (2.1.200 and later). */
export interface ForkContextFact {
  readonly kind: "forkContext";
  readonly sessionId: string | null;
  readonly lastUuid: string | null;
  readonly length: number | null; // records, as Claude Code counted them
}

/** A session of which this one was made, and how: `branch`, `import`, … (2.1.326). */
export interface DerivedFrom {
  readonly sessionId: string;
  readonly via: string | null;
}

export function toSideFact(type: string, raw: JsonObject): SideFact {
  const text = (key: string) => asString(raw[key]) ?? null;
  switch (type) {
    case "custom-title":
      return { kind: "customTitle", text: text("customTitle") };
    case "ai-title":
      return { kind: "aiTitle", text: text("aiTitle") ?? text("title") };
    case "tag":
      return { kind: "tag", text: text("tag") };
    case "summary":
      return { kind: "summary", text: text("summary") ?? "", leafUuid: text("leafUuid") };
    case "last-prompt":
      return {
        kind: "lastPrompt",
        text: text("lastPrompt"),
        leafUuid: text("leafUuid"),
        isExplicit: raw["explicit"] === true && raw["leafUuid"] !== undefined,
      };
    case "cost-state":
      return { kind: "cost", usd: asNumber(raw["totalCostUSD"]) ?? null };
    case "pr-link":
      return {
        kind: "pullRequest",
        number: asNumber(raw["prNumber"]) ?? null,
        url: text("prUrl"),
        repository: text("prRepository"),
      };
    case "content-replacement":
      return { kind: "replacements", results: arrayAt(raw, "replacements").flatMap(toReplacement) };
    case "queue-operation":
      return { kind: "queue", operation: text("operation") ?? "", content: text("content") };
    case "fork-context-ref":
      return {
        kind: "forkContext",
        sessionId: text("parentSessionId"),
        lastUuid: text("parentLastUuid"),
        length: asNumber(raw["contextLength"]) ?? null,
      };
    case "continued-in": {
      const sessionId = text("continuedInSessionId");
      return sessionId === null ? { kind: "nothing" } : { kind: "continuedIn", sessionId };
    }
    case "ended-by-model":
    case "memory-mode":
      return { kind: "mark", type, mode: text("mode") };
    case "derived-from":
      return { kind: "derivedFrom", sessions: arrayAt(raw, "sessions").flatMap(toDerivedFrom) };
    default:
      return { kind: "nothing" };
  }
}

function toDerivedFrom(entry: unknown): DerivedFrom[] {
  const sessionId = stringAt(entry, "id");
  return sessionId === undefined ? [] : [{ sessionId, via: stringAt(entry, "via") ?? null }];
}

/** A workflow is named by its run: its sub-agents are in a folder of that name (2.1.326). */
export function toLaunchedId(launch: JsonObject | undefined): string | undefined {
  const text = (key: string) => asString(launch?.[key]);
  const named = text("agentId") ?? text("backgroundTaskId") ?? text("runId");
  return (
    named ??
    text("transcriptDir")
      ?.split(/[/\\]/)
      .findLast((part) => part !== "")
  );
}

/** Only people write these; what other origins sent was made by programs (2.1.326). */
const ORIGINS_OF_PEOPLE: ReadonlySet<string> = new Set(["human", "channel"]);

export function isPersonsOrigin(kind: string): boolean {
  return ORIGINS_OF_PEOPLE.has(kind);
}

export function toCompactionFields(metadata: unknown): CompactionFields | undefined {
  if (!isObject(metadata)) return undefined;
  const messages = objectAt(metadata, "preservedMessages");
  const segment = objectAt(metadata, "preservedSegment");
  const uuids = arrayAt(messages, "uuids").filter((uuid) => typeof uuid === "string");
  const hasPreserved = messages !== undefined || segment !== undefined;
  return {
    trigger: stringAt(metadata, "trigger"),
    preTokens: numberAt(metadata, "preTokens"),
    postTokens: numberAt(metadata, "postTokens"),
    preserved: hasPreserved
      ? {
          uuids,
          head: stringAt(segment, "headUuid"),
          tail: stringAt(segment, "tailUuid"),
          anchor: stringAt(messages, "anchorUuid") ?? stringAt(segment, "anchorUuid"),
        }
      : undefined,
  };
}

function toReplacement(value: unknown): ResultReplacement[] {
  const [toolUseId, text] = [stringAt(value, "toolUseId"), stringAt(value, "replacement")];
  return toolUseId === undefined || text === undefined ? [] : [{ toolUseId, text }];
}

/** A message that was handed to the model while it was busy (2.1.325). */
interface QueuedMessage {
  readonly text: string;
  readonly images: number;
  readonly isByPerson: boolean;
}

export function toQueuedMessage(attachment: JsonObject): QueuedMessage | undefined {
  if (attachment["type"] !== "queued_command") return undefined;
  const text = promptText(attachment["prompt"]);
  if (text === undefined) return undefined;
  const mode = asString(attachment["commandMode"]) ?? "prompt";
  const origin = asString(asObject(attachment["origin"])?.["kind"]) ?? "human";
  return {
    text,
    images: arrayAt(attachment, "prompt").filter((part) => stringAt(part, "type") === "image").length,
    isByPerson:
      mode === "prompt" && isPersonsOrigin(origin) && (origin !== "human" || attachment["humanTurn"] !== false),
  };
}

function promptText(prompt: unknown): string | undefined {
  if (typeof prompt === "string") return prompt;
  return Array.isArray(prompt) ? prompt.flatMap((part) => stringAt(part, "text") ?? []).join("\n") : undefined;
}

/** Types without uuid that versions up to 2.1.326 write outside the conversation. */
export const SIDE_TYPES: ReadonlySet<string> = new Set([
  "queue-operation",
  "file-history-snapshot",
  "file-history-delta",
  "summary",
  "custom-title",
  "agent-name",
  "ai-title",
  "mode",
  "permission-mode",
  "tools-used",
  "worktree-state",
  "relocated",
  "tag",
  "pr-link",
  "last-prompt",
  "atis-latch",
  "cost-state",
  "api-request",
  "api-request-shape",
  "api-request-blob",
  "content-replacement",
  "fork-context-ref",
  "continued-in",
  "agent-color",
  "agent-setting",
  "ended-by-model",
  "frame-link",
  "bridge-session",
  "isolation-latch",
  "attribution-snapshot",
  "history-suppression",
  "artifact-comment-monitor",
  "artifact-autoreact-ledger",
  "observer-ref",
  "memory-mode",
  "dev-mods",
  "session-owner",
  "repl-mode",
  "data-flow-records",
  "data-flow-incomplete",
  "derived-from",
  "resume-head-vouch",
  "marble-origami-commit",
  "marble-origami-snapshot",
  "marble-origami-reset",
]);

const NODE_TYPES: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment", "progress"]);

export function isKnownType(type: string): boolean {
  return NODE_TYPES.has(type) || SIDE_TYPES.has(type);
}

/**
 * Whether a record shows that its file is a transcript. The output of `claude --output-format stream-json` has the same types,
 * but names its session in `session_id`.
 */
export function isOfTranscript(record: LogRecord): boolean {
  if (record.kind === "broken" || !isKnownType(record.type) || "session_id" in record.raw) return false;
  return ["sessionId", "uuid", "parentUuid", "leafUuid", "messageId"].some((name) => name in record.raw);
}
