import { listMembers, listStrings, type Member } from "../reader/json-members.js";
import { isStringAt, readString } from "../reader/json-scanner.js";
import { replaceSpans, type SpanReplacement } from "./replace-spans.js";

/** The new ids of a session that is made from another one. */
export interface NewIds {
  readonly source: string;
  readonly session: string;
  /** Whether each record names the one that it is a copy of. */
  readonly marksOrigin: boolean;
  /** The new id of a record; any other text unchanged. */
  of(id: string): string;
  /** The record itself if it is kept, else its nearest ancestor that is; null where there is none. */
  survivor(id: string): string | null;
  /** A parent that replaces the recorded one; undefined: none does. */
  parent(uuid: string): string | null | undefined;
}

/** What people, the model and tools wrote: an id in it is text. */
const OPAQUE: ReadonlySet<string> = new Set(["message", "toolUseResult", "rendered"]);
const ID_KEY = /ids?$/i;

/**
 * The bytes of a record with new ids in it and nothing else changed: spaces, escapes, numbers, unknown and repeated fields
 * stay. An id is the value of a field with the name of an id (also one from a future version) that is the id of a record.
 */
export function rewriteIds(bytes: Buffer, ids: NewIds): Buffer {
  const members = listMembers(bytes);
  const last = members.at(-1);
  if (!last) return bytes;
  const own = textOf(members.findLast(({ key }) => key === "uuid"));
  const origin = own !== undefined && ids.marksOrigin ? originOf(own, ids) : undefined;
  const isAnswer = textOf(members.findLast(({ key }) => key === "type")) === "assistant";
  const replacements = members.flatMap((member, at) => replaceIn(member, members[at - 1]));
  const has = (name: string) => members.some(({ key }) => key === name);
  const parent = own === undefined || ids.parent(own) === undefined ? undefined : newParent(own, undefined, ids);
  const missing = [
    parent === undefined || has("parentUuid") ? "" : `,"parentUuid":${JSON.stringify(parent)}`,
    origin === undefined || has("forkedFrom") ? "" : `,"forkedFrom":${origin}`,
    origin === undefined || !isAnswer || has("requestSessionId")
      ? ""
      : `,"requestSessionId":${JSON.stringify(ids.source)}`,
  ].join("");
  return replaceSpans(bytes, missing === "" ? replacements : [...replacements, insertAfter(last, missing)]);

  function textOf(member: Member | undefined): string | undefined {
    return member ? (readString(bytes, member.start, member.end) ?? undefined) : undefined;
  }

  function replaceIn(member: Member, before: Member | undefined): SpanReplacement[] {
    const { key, start, end } = member;
    // The copy is no background session, whatever its source was: Claude Code's /branch leaves it out, too.
    if (key === "sessionKind" && before && origin !== undefined) return [{ start: before.end, end, text: "" }];
    if (OPAQUE.has(key) || (isStringAt(bytes, start) && !ID_KEY.test(key))) return [];
    const put = (value: string | null | undefined) =>
      value === undefined || value === textOf(member) ? [] : [{ start, end, text: JSON.stringify(value) }];
    switch (key) {
      case "sessionId":
        return isStringAt(bytes, start) ? put(ids.session) : [];
      case "parentUuid":
        return put(newParent(own, textOf(member), ids));
      case "logicalParentUuid":
        return put(surviving(textOf(member), ids));
      case "parentLastUuid":
        return put(surviving(textOf(member), ids));
      case "requestSessionId":
        return []; // Claude Code's forks keep the session that made the request (2.1.326), and spending counts there.
      case "forkedFrom":
        return origin === undefined ? [] : [{ start, end, text: origin }];
      default:
        return [...listStrings(bytes, member)].flatMap(replaceId);
    }
  }

  function replaceId({ key, start, end }: Member): SpanReplacement[] {
    const id = ID_KEY.test(key) ? readString(bytes, start, end) : null;
    const renewed = id === ids.source ? ids.session : ids.of(id ?? "");
    return id === null || renewed === id ? [] : [{ start, end, text: JSON.stringify(renewed) }];
  }
}

/** The new id of the parent; undefined where the record names none and none replaces it. */
function newParent(own: string | undefined, recorded: string | undefined, ids: NewIds): string | null | undefined {
  const asked = own === undefined ? undefined : ids.parent(own);
  const parent = asked === undefined ? recorded : asked;
  // In a circle the nearest that stays may be the record itself.
  if (parent !== own && typeof parent === "string" && ids.survivor(parent) === own) return null;
  return surviving(parent, ids);
}

function surviving(id: string | null | undefined, ids: NewIds): string | null | undefined {
  const survivor = typeof id === "string" ? ids.survivor(id) : id;
  return typeof survivor === "string" ? ids.of(survivor) : survivor;
}

function originOf(uuid: string, { source }: NewIds): string {
  return JSON.stringify({ sessionId: source, messageUuid: uuid });
}

function insertAfter({ end }: Member, text: string): SpanReplacement {
  return { start: end, end, text };
}
