/** Types without uuid that clients up to 2.1.325 write beside the conversation. */
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
]);

const NODE_TYPES: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment", "progress"]);

export function isKnownType(type: string): boolean {
  return NODE_TYPES.has(type) || SIDE_TYPES.has(type);
}
