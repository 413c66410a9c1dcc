import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { UserError } from "../../errors.js";
import { expandHome } from "../../format/layout/path-forms.js";
import { blameAmong, type FileBlame } from "../../library/links/blame-file.js";
import type { SearchedSessions } from "../../library/links/changing-sessions.js";
import type { WritingTurn } from "../../library/links/file-moments.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { promptLine } from "../../library/search/snippet.js";
import { homeFolder } from "../../own-user.js";
import type { Clean } from "../../redact/create-redactor.js";
import { formatCount } from "../../render/format-values.js";

/** A file, and which of its lines. */
export interface BlameTarget {
  readonly file: string;
  readonly from: number; // 1-based
  readonly to: number;
}

/** `src/cart.ts`, `src/cart.ts:12` or `src/cart.ts:12-40`. A file that is called like that comes first. */
export function parseBlameTarget(text: string, cwd: string): BlameTarget {
  const [, file, from, to] = /^(.+?):(\d+)(?:-(\d+))?$/s.exec(text) ?? [];
  const isFile = statSync(resolve(cwd, text), { throwIfNoEntry: false }) !== undefined;
  if (file === undefined || isFile) {
    return { file: resolve(cwd, text), from: 1, to: Number.POSITIVE_INFINITY };
  }
  const [first, last] = [Number(from), Number(to ?? from)];
  if (first >= 1 && last >= first) return { file: resolve(cwd, file), from: first, to: last };
  throw new UserError("usage", `not a range of lines: ${text}`, `for example ${file}:12-40`);
}

/** For programs that must not read any file of this machine: only one that a recorded session changed. */
export async function blameChangedFile(
  name: string,
  searched: SearchedSessions,
  load: LoadOptions,
): Promise<FileBlame> {
  const file = expandHome(name, homeFolder());
  if (!isAbsolute(file) || /^[\\/]{2}/.test(file)) {
    throw new UserError("usage", `not a path of this machine: ${name}`, "name the whole path of a file");
  }
  const unchanged = new UserError("not-found", `no recorded session changed ${name}`, "name a file that one changed");
  const blame = await blameAmong(file, searched, load).catch((error: unknown) => {
    throw error instanceof UserError && error.code !== "not-found" ? unchanged : error;
  });
  if (blame.turns.length === 0) throw unchanged;
  return blame;
}

export interface BlameReport {
  readonly file: string;
  /** The root of its git repository. */
  readonly repository: string | null;
  readonly lines: readonly BlameLine[];
  readonly turns: readonly BlameTurn[];
  readonly commits: readonly BlameCommit[];
  readonly counts: { readonly turn: number; readonly commit: number; readonly unknown: number };
  readonly notes: readonly string[];
}

export interface BlameLine {
  readonly line: number; // 1-based
  readonly text: string;
  readonly origin: "turn" | "commit" | "unknown";
  /** The place in `turns`, from 0. */
  readonly turn: number | null;
  /** The id of the commit. */
  readonly commit: string | null;
  /** Only its spacing was changed since. */
  readonly reformatted: boolean;
}

export interface BlameTurn {
  readonly session: string;
  readonly title: string;
  readonly project: string | null;
  readonly turn: number; // 0: before the first
  readonly agentId: string | null;
  readonly prompt: string; // its beginning, on one line
  readonly model: string | null;
  readonly at: string | null; // when the turn began
}

export interface BlameCommit {
  readonly id: string;
  readonly author: string;
  readonly at: string; // when it was written
  readonly subject: string;
}

/** What is known of the chosen lines, masked. */
export function toBlameReport(blame: FileBlame, { from, to }: BlameTarget, clean: Clean): BlameReport {
  const count = blame.lines.length;
  if (from > Math.max(count, 1) || (to > count && Number.isFinite(to))) {
    const hint = count === 0 ? "it is empty" : `its last line is ${count}`;
    throw new UserError("usage", `${blame.path} has only ${formatCount(count, "line")}`, hint);
  }
  const texts = clean(
    blame.lines.map(({ text }) => text),
    "blame",
  ); // all at once: a key may stand on several lines
  const chosen = blame.lines.slice(from - 1, to);
  const used = [...new Set(chosen.flatMap(({ origin }) => (origin.kind === "turn" ? [origin.turn] : [])))];
  const turns = used.flatMap((at) => blame.turns[at] ?? []).map((turn) => describeTurn(turn, clean));
  const lines = chosen.map(
    ({ origin }, at): BlameLine => ({
      line: from + at,
      text: texts[from - 1 + at] ?? "",
      origin: origin.kind,
      turn: origin.kind === "turn" ? used.indexOf(origin.turn) : null,
      commit: origin.kind === "commit" ? origin.id : null,
      reformatted: origin.kind !== "unknown" && origin.isReformatted,
    }),
  );
  const ids = new Set(lines.flatMap(({ commit }) => commit ?? []));
  const commits = [...blame.commits.values()]
    .filter(({ id }) => ids.has(id))
    .map(({ at, ...commit }) => ({ ...commit, at: new Date(at).toISOString() }));
  const counted = (origin: BlameLine["origin"]) => lines.filter((line) => line.origin === origin).length;
  return clean(
    {
      file: blame.path,
      repository: blame.repository,
      lines,
      turns,
      commits,
      counts: { turn: counted("turn"), commit: counted("commit"), unknown: counted("unknown") },
      notes: notesOn(blame),
    },
    "blame",
  );
}

function describeTurn({ session, turn, agentId }: WritingTurn, clean: Clean): BlameTurn {
  const { header, outline } = session;
  const found = outline.turns.find(({ index }) => index === turn);
  const keys = found?.nodes.flatMap(({ message }) => message ?? []) ?? [];
  const model = keys.map((key) => outline.messages.get(key)?.model).find((name) => name !== undefined);
  const time = found?.start.time;
  return {
    session: header.id,
    title: header.title,
    project: header.project,
    turn,
    agentId,
    prompt: promptLine(found?.start.text ?? "", (text) => clean(text, "prompt")),
    model: model ?? null,
    at: time === undefined || Number.isNaN(time) ? null : new Date(time).toISOString(),
  };
}

function* notesOnBlame({ isCut, problems }: FileBlame): Generator<string> {
  if (isCut) yield "the file has more commits than are read: what is older is unknown";
  if (problems.length > 0) yield `${formatCount(problems.length, "session file")} could not be read`;
}

function notesOn(blame: FileBlame): string[] {
  return [...notesOnBlame(blame)];
}
