import { structuredPatch } from "diff";
import fc from "fast-check";
import { answer, type Draft, prompt, rowsOf, writeLines } from "./session-builder.js";

/** A random session that changes files, and what the files held at the end of each turn. */
export interface FileStory {
  readonly lines: readonly string[];
  readonly before: Files;
  readonly after: readonly Files[]; // by turn; the first is the start
}

export type Files = ReadonlyMap<string, string>;

export const STORY_FOLDER = "/home/dev/shop";
const NAMES = ["plain.txt", "src/a b.ts", "é/naïve.md", 'quo"te\\d'];

interface Change {
  readonly name: string;
  readonly tool: "Write" | "Edit" | "MultiEdit" | "changed by a person";
  /** What the client notes: everything, nothing (as for some sub-agents), or all but the original. */
  readonly notes: "all" | "nothing" | "patch";
  readonly from: number;
  readonly length: number;
  readonly text: string;
}

const someLine = fc.constantFrom(
  "",
  "one",
  "\ttwo",
  "  two",
  "--- a/x",
  "+++ b/x",
  "\\ No",
  "é €",
  "$& $1",
  "@@ -1 +1 @@",
);
const someText = fc
  .tuple(fc.array(someLine, { maxLength: 12 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));

const someChange: fc.Arbitrary<Change> = fc.record({
  name: fc.constantFrom(...NAMES),
  tool: fc.constantFrom("Write", "Edit", "Edit", "MultiEdit", "changed by a person"),
  notes: fc.constantFrom("all", "nothing", "patch"),
  from: fc.nat(200),
  length: fc.nat(12),
  text: someText,
});

export const anyFileStory: fc.Arbitrary<FileStory> = fc
  .record({
    start: fc.dictionary(fc.constantFrom(...NAMES), someText),
    turns: fc.array(fc.array(someChange, { maxLength: 4 }), { minLength: 1, maxLength: 5 }),
  })
  .map(({ start, turns }) => tell(new Map(Object.entries(start)), turns));

function tell(before: Map<string, string>, turns: readonly (readonly Change[])[]): FileStory {
  const files = new Map(before);
  const known = new Set<string>();
  const after: Files[] = [new Map(files)];
  const drafts = turns.flatMap((changes, turn) => {
    const made = changes.flatMap((change, at) => make(change, `t${turn}-${at}`, files, known));
    after.push(new Map(files));
    return [prompt(`turn ${turn}`), ...made, answer("done")];
  });
  return {
    lines: writeLines(drafts.map((draft) => rowsOf(draft).map((record) => ({ cwd: STORY_FOLDER, ...record })))),
    before,
    after,
  };
}

interface Made {
  readonly input: Readonly<Record<string, unknown>>;
  readonly noted: Readonly<Record<string, unknown>>;
  readonly after: string;
}

/** Changes the files, and gives the call with its result as the client records it. */
function make(change: Change, id: string, files: Map<string, string>, known: Set<string>): Draft[] {
  const before = files.get(change.name);
  const isEdit = change.tool !== "Write" && before !== undefined && before !== "";
  const made = isEdit ? edit(before, change) : write(change);
  files.set(change.name, made.after);
  const needsNotes = change.tool === "changed by a person" || !known.has(change.name);
  known.add(change.name);
  const name = !isEdit ? "Write" : change.tool === "MultiEdit" ? "MultiEdit" : "Edit";
  return toRecords({
    id,
    name,
    path: `${STORY_FOLDER}/${change.name}`,
    before,
    made,
    notes: needsNotes ? "all" : change.notes,
  });
}

function write({ text }: Change): Made {
  return { input: { content: text }, noted: { content: text }, after: text };
}

function edit(before: string, change: Change): Made {
  const from = before.slice(change.from % before.length).slice(0, change.length + 1);
  const isEverywhere = before.indexOf(from) !== before.lastIndexOf(from);
  const after = isEverywhere ? before.split(from).join(change.text) : before.replace(from, () => change.text);
  const wish = { old_string: from, new_string: change.text, replace_all: isEverywhere };
  if (change.tool === "MultiEdit") return { input: { edits: [wish] }, noted: { edits: [wish] }, after };
  const noted = { oldString: from, newString: change.text, replaceAll: isEverywhere };
  const isOther = change.tool === "changed by a person";
  return { input: wish, noted, after: isOther ? `by hand\n${after}` : after };
}

interface Recorded {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly before: string | undefined;
  readonly made: Made;
  readonly notes: Change["notes"];
}

function toRecords({ id, name, path, before, made, notes }: Recorded): Draft[] {
  const { input, noted, after } = made;
  const patch = before === undefined ? [] : structuredPatch("", "", before, after, "", "", { context: 3 }).hunks;
  const type = name === "Write" ? { type: before === undefined ? "create" : "update" } : {};
  const originalFile = notes === "patch" ? null : (before ?? null);
  const toolUseResult =
    notes === "nothing" ? undefined : { ...type, filePath: path, ...noted, originalFile, structuredPatch: patch };
  const content = before === undefined ? `File created successfully at: ${path}` : `The file ${path} has been updated`;
  const call = { type: "tool_use", id, name, input: { file_path: path, ...input } };
  const result = { type: "tool_result", tool_use_id: id, content };
  return [
    [{ type: "assistant", message: { role: "assistant", model: "claude-sonnet-4-5", content: [call] } }],
    [{ type: "user", message: { role: "user", content: [result] }, toolUseResult }],
  ];
}
