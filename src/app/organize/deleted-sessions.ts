import { UserError } from "../../errors.js";
import { type FoundSession, openArchive } from "../../library/found-session.js";
import { loadFound } from "../../library/load/load-session.js";
import { isOfProject, type SessionFilter } from "../../library/load/session-summary.js";
import {
  listTypedSessions,
  readPaste,
  readTypedPrompts,
  type TypedPrompt,
  type TypedSession,
} from "../../library/shared-files/typed-prompts.js";
import { skipUnreadable } from "../../library/skip-unreadable.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { type RootOptions, sessionRoots } from "../session-roots.js";
import { dataFolderOf, type Environment } from "../settings.js";

/** A session whose transcript is gone. */
export interface DeletedSession extends TypedSession {
  /** The archive has a copy: it can be shown, resumed and restored. Of others only the typed prompts are left. */
  readonly archived: boolean;
}

/** Latest first. */
export async function listDeleted(
  environment: Environment,
  options: RootOptions,
  { limit, ...filter }: SessionFilter,
): Promise<DeletedSession[]> {
  refuseOthers(filter);
  const roots = await sessionRoots(environment, options);
  const found = findSessions(roots, { archive: openArchive(dataFolderOf(environment)) }).sessions;
  const copies = new Map(found.filter(({ archived }) => archived).map((session) => [session.id, session]));
  const present = new Set(found.filter(({ archived }) => !archived).map(({ id }) => id));
  const typed = new Map<string, TypedSession>();
  for (const root of roots) {
    for (const session of listTypedSessions(root, (id) => present.has(id) || typed.has(id))) {
      typed.set(session.id, session);
    }
  }
  const kept = [...copies.values()].filter(({ id }) => !typed.has(id)).flatMap((copy) => describeCopy(copy) ?? []);
  return [...typed.values(), ...kept]
    .map((session) => ({ ...session, archived: copies.has(session.id) }))
    .filter((session) => matches(session, filter))
    .sort((a, b) => (b.lastPromptAt ?? "").localeCompare(a.lastPromptAt ?? "") || a.id.localeCompare(b.id))
    .slice(0, limit);
}

/** Nothing else is known of a session without its transcript. */
function refuseOthers({ project: _p, since: _s, until: _u, ...others }: SessionFilter): void {
  if (Object.keys(others).length === 0) return;
  const hint = "use --project, --since, --until and --limit";
  throw new UserError("usage", "--deleted knows only the prompts of a session", hint);
}

function matches({ project, firstPromptAt, lastPromptAt }: TypedSession, filter: SessionFilter): boolean {
  return (
    (filter.project === undefined || isOfProject(project, filter.project)) &&
    (filter.since === undefined || Date.parse(lastPromptAt ?? "") >= filter.since) &&
    (filter.until === undefined || Date.parse(firstPromptAt ?? "") <= filter.until)
  );
}

/** Of a copy whose prompts were not typed in a terminal. */
function describeCopy(copy: FoundSession): TypedSession | undefined {
  return skipUnreadable(copy.path, [], () => {
    const { header, outline, turns } = loadFound(copy);
    const [first] = turns(1, 1);
    return {
      id: copy.id,
      project: header.project,
      firstPromptAt: header.startedAt,
      lastPromptAt: header.endedAt,
      prompts: outline.turns.length,
      firstPrompt: (first?.prompt ?? header.title).slice(0, MAX_FIRST_PROMPT),
    };
  });
}

const MAX_FIRST_PROMPT = 500;

/** What `history.jsonl` still has of a session that nothing else knows. */
export interface DeletedPrompts {
  readonly id: string;
  readonly project: string | null;
  readonly root: string;
  readonly prompts: readonly TypedPrompt[];
  readonly isCut: boolean;
}

/** By id or unique prefix; undefined where no history names it. */
export async function findDeletedPrompts(
  name: string,
  options: RootOptions,
  environment: Environment,
): Promise<DeletedPrompts | undefined> {
  if (!/^[0-9a-f][0-9a-f-]{1,35}$/i.test(name)) return undefined;
  const wanted = name.toLowerCase();
  const named = (await sessionRoots(environment, options)).flatMap((root) =>
    listTypedSessions(root, (id) => !id.toLowerCase().startsWith(wanted)).map(({ id }) => ({ id, root })),
  );
  const ids = [...new Set(named.map(({ id }) => id))];
  const [first] = named;
  if (!first) return undefined;
  if (ids.length > 1) {
    const hint = `be more specific: ${ids.slice(0, 5).join(", ")}`;
    throw new UserError("ambiguous", `"${name}" names ${ids.length} deleted sessions`, hint);
  }
  const { prompts, isCut } = readTypedPrompts(first.root, first.id);
  return { ...first, project: prompts.find(({ project }) => project !== null)?.project ?? null, prompts, isCut };
}

export interface ShownPrompt {
  readonly number: number;
  readonly at: string | null;
  readonly text: string;
  /** `text` is null of an image, and where Claude Code has deleted the paste. */
  readonly pastes: readonly { readonly id: number | null; readonly kind: string; readonly text: string | null }[];
}

/** One after the other: pastes may be long. */
export function* showDeletedPrompts(
  { root, prompts }: DeletedPrompts,
  { from, to }: { readonly from: number; readonly to: number },
  clean: Redactor["json"],
): Generator<ShownPrompt> {
  for (const [at, prompt] of prompts.entries()) {
    const number = at + 1;
    if (number < from || number > to) continue;
    const pastes = prompt.pastes.map((paste) => ({ id: paste.id, kind: paste.kind, text: readPaste(root, paste) }));
    yield clean({ number, at: prompt.at, text: prompt.text, pastes }, "prompt");
  }
}
