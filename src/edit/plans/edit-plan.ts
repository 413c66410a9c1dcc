import { hash } from "node:crypto";
import type { JsonObject } from "../../format/json.js";
import type { NewIds } from "../../format/writer/rewrite-ids.js";
import type { Node } from "../../session/graph/node.js";
import type { EditSource } from "./edit-source.js";
import type { SourceRecord } from "./source-record.js";

/** What becomes of a record. Those that a plan does not name are kept, with new ids. */
export type RecordChange =
  | { readonly kind: "remove"; readonly reason: string }
  | ({ readonly kind: "replace" } & RecordReplacement)
  /** It is written after another record instead of in its own place. */
  | { readonly kind: "move"; readonly reason?: string; readonly replace?: Replace };

/** A pure function of the whole record, in the ids of the source. */
export type Replace = (raw: JsonObject) => JsonObject;

/** How a record changes, and why. */
export interface RecordReplacement {
  readonly reason: string;
  readonly replace: Replace;
}

/** A session to be made of another one: what goes, what stays, and what it will be called. Nothing is written yet. */
export interface EditPlan {
  readonly command: string;
  readonly source: EditSource;
  /** Another session of which records are added. */
  readonly foreignSource?: EditSource | undefined;
  /** Of the new session. */
  readonly id: string;
  /** Written at its end; null: it keeps what it has. */
  readonly title: string | null;
  readonly keepUuids: boolean;
  readonly changes: ReadonlyMap<SourceRecord, RecordChange>;
  /** Other parents than those recorded, by uuid, all in ids of the source. */
  readonly parents: ReadonlyMap<string, string | null>;
  /** For each removed uuid the nearest record before it that stays. */
  readonly survivors: ReadonlyMap<string, string | null>;
  /** Records that are written after another one. */
  readonly moved: ReadonlyMap<SourceRecord, readonly SourceRecord[]>;
  /** The end of the conversation, in ids of the source, where the order of the file does not show it; written at the end. */
  readonly leaf: string | null;
  /** New records, as they are written, by the record that they follow. */
  readonly added: ReadonlyMap<SourceRecord, Iterable<JsonObject>>;
  /** Every record on a line of its own, with nothing around it, in valid UTF-8 and whole characters. */
  readonly isTidy: boolean;
  readonly cleaning: Cleaning | null;
  readonly leavesSubagents: boolean;
  readonly kept: number;
  readonly removed: number;
  /** Estimates of what Claude Code sends when it resumes. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What is left before each message that Claude Code sends, by the key of the message. */
  readonly tokensBeforeMessages: ReadonlyMap<string, number>;
  /** By why records go or change. */
  readonly savedTokens: ReadonlyMap<string, number>;
  /** What the user should know before it is written. */
  readonly notes: readonly string[];
  /** How much is pruned, 0 if nothing; where the plan is to prune. */
  readonly pruned?: number;
  /** What was found wrong with the source, and how much of it is left; where the plan is to repair it. */
  readonly problems?: readonly FoundProblems[];
}

export interface FoundProblems {
  readonly code: string;
  readonly found: number;
  readonly left: number;
}

/** Removes private data from everything that is copied. */
export interface Cleaning {
  /** A copy of a JSON value, or of a text, of the same shape. */
  readonly clean: <Value>(value: Value, place: string) => Value;
  /** Remembers what is private in a value that is cleaned later. */
  readonly learn?: (value: unknown) => void;
}

/** Why thinking goes from a redacted session: it is signed, so a part of it cannot change. */
export const PRIVATE_THINKING = "thinking that held something private";

/** What every edit can be asked for. */
export interface EditOptions {
  /** The id of the new session, a UUID. */
  readonly id: string;
  readonly title?: string | null | undefined;
  /** Records keep their uuids, as in Claude Code's own forks. */
  readonly keepUuids?: boolean | undefined;
}

/** What an edit wants; `settlePlan` works out what follows from it. */
export interface EditDraft {
  readonly command: string;
  readonly options: EditOptions;
  /** Why each of them goes. */
  readonly removed: ReadonlyMap<SourceRecord, string>;
  readonly replaced?: ReadonlyMap<SourceRecord, RecordReplacement>;
  readonly added?: EditPlan["added"];
  /** Nodes on the branch that are not of the source, and the record to write for each, given its parent. */
  readonly foreignNodes?: ForeignNodes;
  /** The session that these are of. */
  readonly foreignSource?: EditSource | undefined;
  /** Where replacing changes how much the model reads of a record. */
  readonly contextBytes?: (record: SourceRecord) => number;
  /** The branch that the new session continues; default: the active one. */
  readonly branch?: readonly Node[];
  readonly leaf?: string | null;
  /** Makes one chain of the branch, whatever parents its records name. */
  readonly isRelinked?: boolean;
  readonly isTidy?: boolean;
  readonly cleaning?: Cleaning;
  readonly leavesSubagents?: boolean | undefined;
  readonly notes?: readonly string[];
}

export type ForeignNodes = ReadonlyMap<Node, ForeignNode>;

export interface ForeignNode {
  readonly contextBytes: number;
  readonly row: (parent: string | null) => JsonObject;
}

/**
 * The ids of a planned session. A record's new uuid follows from its old one and the new session's id, so that the files of a
 * session agree on it without a table. `isKnown` says of an id whether it is that of a record.
 */
export function newIds(plan: EditPlan, isKnown: (id: string) => boolean): NewIds {
  const { survivors, parents, keepUuids, source } = plan;
  const own = (id: string) => source.outline.sentAs.get(id) ?? id;
  return {
    source: source.id,
    session: plan.id,
    marksOrigin: true,
    of: (id) => (!keepUuids && isKnown(own(id)) ? derivedUuid(plan.id, own(id)) : own(id)),
    survivor: (id) => survivors.get(own(id)) ?? (survivors.has(own(id)) ? null : own(id)),
    parent: (uuid) => parents.get(uuid),
  };
}

/** A UUID of version 8: one by a rule of our own. */
export function derivedUuid(session: string, uuid: string): string {
  const hex = hash("sha1", `${session}/${uuid}`);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
