/** A title as a person gives it; the last one in a file counts. */
export function titleRecord(customTitle: string, sessionId: string): object {
  return { type: "custom-title", customTitle, sessionId };
}

/** Tells clients since 2.1.120 where the conversation ends. */
export function leafRecord(leafUuid: string, sessionId: string): object {
  return { type: "last-prompt", leafUuid, sessionId };
}
