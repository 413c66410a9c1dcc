import type { FileProblem } from "../format/folder-listing.js";
import { expandHome } from "../format/path-forms.js";
import type { Turn } from "../session/build-turn.js";
import { findSessions } from "./find-sessions.js";
import { type LoadedSession, loadSession } from "./load-session.js";
import { skipUnreadable } from "./skip-unreadable.js";
import { makeSnippet } from "./snippet.js";

export type HitKind = "prompt" | "answer" | "thinking" | "toolInput" | "toolOutput";

/** One place where the words of a query stand. */
export interface SearchHit {
  readonly sessionId: string;
  readonly path: string;
  readonly project: string | null;
  readonly title: string;
  readonly turn: number;
  readonly line: number; // where the turn starts
  readonly kind: HitKind;
  readonly tool: string | null;
  readonly toolUseId: string | null;
  readonly timestamp: string | null;
  readonly snippet: string;
}

/** Reads all sessions below the folders and yields every text that contains the query, whatever its case. */
export function* searchSessions(
  folders: string | readonly string[],
  query: string,
  problems: FileProblem[] = [],
): Generator<SearchHit> {
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  const roots = [folders].flat().map((folder) => expandHome(folder, home));
  for (const { path, size } of findSessions(roots).sessions) {
    if (size === 0 || query === "") continue;
    const session = skipUnreadable(path, problems, () => loadSession(path));
    if (session) yield* searchSession(session, query.toLowerCase());
  }
}

function* searchSession({ header, path, turns }: LoadedSession, query: string): Generator<SearchHit> {
  for (const turn of turns()) {
    for (const { kind, text, tool, toolUseId, timestamp } of textsOf(turn)) {
      const at = text.toLowerCase().indexOf(query);
      if (at < 0) continue;
      const { id: sessionId, project, title } = header;
      const snippet = makeSnippet(text, [{ start: at, end: at + query.length }]).text;
      yield {
        sessionId,
        path,
        project,
        title,
        turn: turn.index,
        line: turn.line,
        kind,
        tool,
        toolUseId,
        timestamp,
        snippet,
      };
    }
  }
}

type SearchedText = Pick<SearchHit, "kind" | "tool" | "toolUseId" | "timestamp"> & { readonly text: string };

function* textsOf(turn: Turn): Generator<SearchedText> {
  const own = { tool: null, toolUseId: null };
  yield { ...own, kind: "prompt", text: turn.prompt, timestamp: turn.startedAt };
  for (const { prompt, at } of turn.followUps) yield { ...own, kind: "prompt", text: prompt, timestamp: at };
  for (const { blocks, startedAt } of turn.messages) {
    for (const block of blocks) {
      if (block.kind === "text") yield { ...own, kind: "answer", text: block.text, timestamp: startedAt };
      if (block.kind === "thinking") yield { ...own, kind: "thinking", text: block.text, timestamp: startedAt };
    }
  }
  for (const { id, name, input, result, startedAt, endedAt } of turn.toolCalls) {
    const call = { tool: name, toolUseId: id };
    yield { ...call, kind: "toolInput", text: JSON.stringify(input) ?? "", timestamp: startedAt };
    if (result !== null) yield { ...call, kind: "toolOutput", text: result, timestamp: endedAt };
  }
}
