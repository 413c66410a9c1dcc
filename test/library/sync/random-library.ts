import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import * as build from "../../builders/session-builder.js";

/** One thing that happens to a library; `pick` chooses what it happens to. */
export interface Change {
  readonly kind: ChangeKind;
  readonly pick: number;
  readonly lines: readonly string[];
}

type ChangeKind = (typeof CHANGE_KINDS)[number];

const NEW_KINDS = ["session", "agent", "fork"] as const;
const CHANGE_KINDS = [
  ...NEW_KINDS,
  ...(["append", "truncate", "replace", "rewrite", "editAndAppend", "takeOut", "copy", "retitle", "move"] as const),
  "delete",
] as const;

const WORDS = [
  ..."alpha beta the parseQuery HTTPServer2 snake_case_name /src/lib/file.ts naïve 日本語 東京タワー 한글 🙂 => x fooBar".split(
    " ",
  ),
  "ｶﾞラス",
  "e\u0301te",
  "\u001b[31mred",
  "and\nmore",
  '"quoted"',
];

const anyText = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));

/** Words, phrases, prefixes, exclusions and alternatives, of words that a library has. */
export const anyQuery = fc
  .array(
    fc.tuple(
      fc.constantFrom("", "", "", "-", '"', "*", "OR "),
      fc.constantFrom(...WORDS, "query", "http", "京", "gone"),
    ),
    { maxLength: 3 },
  )
  .map((pieces) => pieces.map(([mark, word]) => decorate(mark, word)).join(" "));

function decorate(mark: string, word: string): string {
  if (mark === '"') return `"${word} the"`;
  return mark === "*" ? `${word.slice(0, 2)}*` : mark + word;
}

type MakeDraft = (text: string, pick: number) => build.Draft;
const someId = (pick: number) => `t${pick % 5}`;
const inProject = (draft: build.Draft, pick: number): build.Draft =>
  build
    .rowsOf(draft)
    .map((record) => ({ cwd: `/home/dev/${pick % 2 ? "shop" : "api"}`, gitBranch: "main", ...record }));

const EVENTS: readonly MakeDraft[] = [
  (text, pick) => inProject(build.prompt(text), pick),
  (text) => build.answer(text),
  (_, pick) => build.toolUses(someId(pick), someId(pick + 1)),
  (text, pick) => [call(someId(pick), "Edit", { file_path: "/src/lib/file.ts", new_string: text })],
  (_, pick) => [call(someId(pick), "TodoRead", {})],
  (text, pick) => build.resultFor(someId(pick), text, pick % 3 === 0),
  (text) => [{ type: "assistant", message: { role: "assistant", content: [{ type: "thinking", thinking: text }] } }],
  (text) => build.title(text),
  (text) => build.queuedPrompt(text),
  (text) => build.commandOutput(text),
  () => build.command("cost"),
  () => build.compaction(),
  () => build.interrupt(),
  (text, pick) => build.continuing(`u${1 + (pick % 6)}`, build.prompt(text)),
  (text, pick) => [{ ...build.answer(text), uuid: `u${1 + (pick % 6)}` }],
  (text, pick) => build.inSidechain(`a${pick % 3}`, build.answer(text)),
  (_, pick) => [launch(someId(pick), `a${pick % 3}`)],
  (text, pick) => [call(someId(pick), "ExitPlanMode", { plan: text })],
  (text, pick) =>
    build.result(someId(pick), "Approved.", { toolUseResult: { plan: pick % 2 ? text : null, isAgent: false } }),
  (text, pick) => build.result(someId(pick), "Refused.", { isError: true, userFeedback: text }),
];

function call(id: string, name: string, input: object): build.Row {
  return { type: "assistant", message: { role: "assistant", content: [{ type: "tool_use", id, name, input }] } };
}

/** The result that names the sub-agent of a call. */
function launch(id: string, agentId: string): build.Row {
  const content = [{ type: "tool_result", tool_use_id: id, content: "done" }];
  return { type: "user", message: { role: "user", content }, toolUseResult: { status: "completed", agentId } };
}

const anyDraft = fc
  .tuple(fc.constantFrom(...EVENTS), anyText, fc.nat(30))
  .map(([make, text, pick]) => make(text, pick));

/** Some lines are cut, glued to the next one, blank, or twice there. */
type Damage = (line: string) => string;
const DAMAGES: readonly Damage[] = [
  ...Array.from({ length: 8 }, (): Damage => (line) => `${line}\n`),
  (line) => line,
  (line) => `${line.slice(0, line.length / 2)}\n`,
  (line) => `${line}\n\n`,
  (line) => `${line}\n${line}\n`,
];

const anyLines = fc
  .tuple(fc.array(anyDraft, { maxLength: 8 }), fc.array(fc.constantFrom(...DAMAGES), { minLength: 1, maxLength: 8 }))
  .map(([drafts, damages]) =>
    build.writeLines(drafts).map((line, at) => (damages[at % damages.length] ?? String)(line)),
  );

export const anyNewFile: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom<ChangeKind>("session", "session", "agent", "fork"),
  pick: fc.nat(1000),
  lines: anyLines,
});

export const anyChange: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom<ChangeKind>(...CHANGE_KINDS, "append"),
  pick: fc.nat(1000),
  lines: anyLines,
});

/** Writes libraries. Some programs keep the time of a file that they change. */
export function createLibrary(root: string) {
  let seconds = 1_790_000_000;

  function write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  function apply({ kind, pick, lines }: Change): void {
    const path = target(root, kind, pick);
    if (path === undefined) return;
    const text = lines.join("").replaceAll('"sessionId":"s1"', `"sessionId":"${sessionId(pick)}"`);
    const before = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    CHANGES[kind](path, text, pick, { root, write });
    seconds += 1;
    const time = pick % 4 === 0 && before > 0 ? before / 1000 : seconds;
    if (existsSync(path)) utimesSync(path, time, time);
  }

  return { apply };
}

interface Disk {
  readonly root: string;
  write(path: string, content: string | Buffer): void;
}

type MakeChange = (path: string, text: string, pick: number, disk: Disk) => void;

const CHANGES: Readonly<Record<ChangeKind, MakeChange>> = {
  session: (path, text, _, { write }) => write(path, text),
  agent: (path, text, _, { write }) => write(path, text),
  fork: (path, text, pick, { root, write }) => {
    const [source] = pickFile(root, pick);
    write(path, (source === undefined ? "" : readFileSync(source, "utf8")) + text);
  },
  append: (path, text, pick) => appendFileSync(path, pick % 3 === 0 ? text.slice(0, text.length / 3) : text),
  truncate: (path, _, pick) => truncateSync(path, Math.floor((statSync(path).size * (pick % 10)) / 10)),
  replace: (path, text, _, { write }) => write(path, text),
  rewrite: (path) => {
    const bytes = readFileSync(path, "utf8");
    writeFileSync(path, bytes.replaceAll("alpha", "gamma").replaceAll("beta", "zeta"));
  },
  editAndAppend: (path, text, _, { write }) =>
    write(path, readFileSync(path, "utf8").replaceAll("alpha", "gamma") + text),
  takeOut: (path, _, pick, { write }) => {
    const lines = readFileSync(path, "utf8").split("\n");
    write(path, lines.toSpliced(pick % lines.length, 1).join("\n"));
  },
  copy: (path) => {
    writeFileSync(`${path}.new`, readFileSync(path));
    renameSync(`${path}.new`, path);
  },
  retitle: (path, text, pick, { write }) => {
    const file = join(path.slice(0, -".jsonl".length), "custom-title.json");
    write(file, JSON.stringify({ customTitle: text.slice(0, 7), pick }));
  },
  move: (path, _, pick) => {
    const folder = join(dirname(dirname(path)), `-p${pick % 3}`);
    const isSession = /^[0-9a-f-]{36}\.jsonl$/.test(basename(path));
    if (!isSession || existsSync(join(folder, basename(path)))) return;
    mkdirSync(folder, { recursive: true });
    renameSync(path, join(folder, basename(path)));
    const sideDir = path.slice(0, -".jsonl".length);
    const isSideDirFree = !existsSync(join(folder, basename(sideDir)));
    if (existsSync(sideDir) && isSideDirFree && pick % 4 > 0) renameSync(sideDir, join(folder, basename(sideDir)));
  },
  delete: (path) => rmSync(path),
};

function sessionId(pick: number): string {
  return `0000000${pick % 6}-0000-4000-8000-000000000000`;
}

/** New files have a place of their own or take the one of another; all else happens to a file that is there. */
function target(root: string, kind: ChangeKind, pick: number): string | undefined {
  const project = join(root, "projects", `-p${pick % 3}`);
  if (kind === "session" || kind === "fork") return join(project, `${sessionId(pick)}.jsonl`);
  if (kind !== "agent") return pickFile(root, pick)[0];
  const name = `agent-a${pick % 3}.jsonl`;
  const places = [join(sessionId(pick), "subagents"), join(sessionId(pick), "subagents", "more"), "", "subagents"];
  return join(project, places[pick % places.length] ?? "", name);
}

function pickFile(root: string, pick: number): string[] {
  const files = existsSync(root)
    ? readdirSync(root, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && entry.name.endsWith(".jsonl"),
      )
    : [];
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  const chosen = paths[pick % Math.max(1, paths.length)];
  return chosen === undefined ? [] : [chosen];
}
