import type { AssistantRecord, DerivedFrom, LogRecord } from "../../format/record/record.js";

/** How a session came from another one. */
export type Relation =
  | "continued" // /background, or a session that was moved to the background: the other one is over
  | "forked" // /fork and --fork-session
  | "branched" // /branch
  | "copied" // with new uuids, as turnlog's edits do
  | "derived"; // Claude Code recorded it without saying more

/** What the records of a session say about other sessions. JSON, so that it can be stored. */
export interface SessionRelations {
  /** Of the newest message that another session made. */
  copiedFrom: CopyOrigin | null;
  /** The session of the last record that is marked as a copy. May be the source's own source. */
  forkedFrom: string | null;
  /** Null as soon as the session goes on itself. */
  continuedIn: { sessionId: string; at: string | null } | null;
  derivedFrom: DerivedFrom[];
  isBackground: boolean;
  /** It was told that it is a fork, as /fork does. */
  isBriefed: boolean;
}

interface CopyOrigin {
  /** The session that made the request. */
  owner: string;
  /** The session that the copy was taken from, where it says so. */
  markedSource: string | null;
  keepsUuid: boolean;
  at: string | null;
}

export function emptyRelations(): SessionRelations {
  return {
    copiedFrom: null,
    forkedFrom: null,
    continuedIn: null,
    derivedFrom: [],
    isBackground: false,
    isBriefed: false,
  };
}

/** Adds what one record says. */
export function observeRelations(relations: SessionRelations, record: Exclude<LogRecord, { kind: "broken" }>): void {
  if (record.forkedFrom) relations.forkedFrom = record.forkedFrom.sessionId;
  switch (record.kind) {
    case "assistant":
      observeCopy(relations, record);
      relations.continuedIn = null;
      break;
    case "user":
      if (record.raw["sessionKind"] === "bg") relations.isBackground = true;
      relations.continuedIn = null;
      break;
    case "attachment":
      if (record.attachmentType === "fork_briefing") relations.isBriefed = true;
      break;
    case "side":
      if (record.fact.kind === "continuedIn") {
        relations.continuedIn = { sessionId: record.fact.sessionId, at: record.timestamp ?? null };
      }
      if (record.fact.kind === "derivedFrom") relations.derivedFrom = [...record.fact.sessions];
      break;
  }
}

function observeCopy(relations: SessionRelations, record: AssistantRecord): void {
  const { requestSessionId, sessionId, forkedFrom, uuid, timestamp } = record;
  if (requestSessionId === undefined || requestSessionId === sessionId) return;
  // A fork of a compacted session writes older messages behind newer ones.
  if (Date.parse(relations.copiedFrom?.at ?? "") > Date.parse(timestamp ?? "")) return;
  relations.copiedFrom = {
    owner: requestSessionId,
    markedSource: forkedFrom?.sessionId ?? null,
    keepsUuid: forkedFrom?.messageUuid === undefined || forkedFrom.messageUuid === uuid,
    at: timestamp ?? null,
  };
}

/** The session that this one was made of, and what shows it. */
export interface Origin {
  readonly sessionId: string;
  readonly relation: Relation;
  readonly evidence: "requestSessionId" | "forkedFrom" | "derived-from";
}

/**
 * As the session's own records tell it. `/branch` marks each copy with its direct source. `/fork`, `/background` and
 * `--fork-session` leave marks as they were, so only the owner of the newest copy is the direct source (2.1.326).
 */
export function originOf(relations: SessionRelations): Origin | null {
  const { copiedFrom, forkedFrom, derivedFrom, isBackground, isBriefed } = relations;
  if (copiedFrom?.markedSource) {
    const relation = isBriefed ? "forked" : copiedFrom.keepsUuid ? "branched" : "copied";
    return { sessionId: copiedFrom.markedSource, relation, evidence: "forkedFrom" };
  }
  if (copiedFrom) {
    const relation = isBackground && !isBriefed ? "continued" : "forked";
    return { sessionId: copiedFrom.owner, relation, evidence: "requestSessionId" };
  }
  if (forkedFrom !== null) return { sessionId: forkedFrom, relation: "forked", evidence: "forkedFrom" };
  const [derived] = derivedFrom;
  return derived
    ? { sessionId: derived.sessionId, relation: relationVia(derived.via), evidence: "derived-from" }
    : null;
}

export function relationVia(via: string | null): Relation {
  return via === "branch" ? "branched" : via === "fork" ? "forked" : "derived";
}
