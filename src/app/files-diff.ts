import { fileEventReader, type TouchedFiles } from "../library/load/touched-files.js";
import type { Clean } from "../redact/create-redactor.js";
import { formatCount } from "../render/format-values.js";
import { pathBelow, safePathParts } from "../session/file-history/file-path.js";
import { type FileEvent, type FileStep, foldFile, listSteps } from "../session/file-history/fold-file.js";
import { diffContents, type FilePatch, formatFilePatch } from "../session/file-history/unified-diff.js";

export interface DiffView {
  readonly clean: Clean;
  /** Takes notes about what the diff does not show. */
  readonly note: (text: string) => void;
}

/** One unified diff of all changes of a session, file by file. */
export function* diffPieces(files: TouchedFiles, { clean, note: tell }: DiffView): Generator<string> {
  const note = (text: string) => tell(clean(text, "diff")); // names of files and folders
  const eventsOf = fileEventReader(files);
  const outside: string[] = [];
  for (const path of changedPaths(files)) {
    const below = pathBelow(path, files.cwd);
    if (below === undefined) outside.push(path);
    for (const { patch } of filePatches(below ?? safePathParts(path).join("/"), () => eventsOf(path), note)) {
      const cleaned = clean(patch, "diff");
      if (isMasked(patch, cleaned))
        note(`${patch.name}: a secret is masked, so this part cannot be applied (--reveal)`);
      yield formatFilePatch(cleaned);
    }
  }
  if (outside.length > 0) {
    const where = files.cwd ?? "the session's folder, which is not recorded";
    note(`${formatCount(outside.length, "file")} outside ${where}: named from the root (patch -p1 -d /)`);
  }
}

/** Files of the session's folder first. */
export function changedPaths({ touches, cwd }: TouchedFiles): string[] {
  const changed = touches.filter(({ kind, status }) => kind !== "read" && status === "ok").map(({ path }) => path);
  const paths = [...new Set(changed)];
  const isInside = (path: string) => pathBelow(path, cwd) !== undefined;
  return [...paths.filter(isInside), ...paths.filter((path) => !isInside(path))];
}

export interface SteppedPatch {
  readonly patch: FilePatch;
  /** The one step that it shows; undefined: all of them together. */
  readonly step: FileStep | undefined;
}

/** One patch if both versions are known, else one per edit. */
export function* filePatches(
  name: string,
  events: () => Iterable<FileEvent>,
  note: DiffView["note"],
): Generator<SteppedPatch> {
  const folded = foldFile(events());
  if (!folded) return;
  const { before, after, changedBefore, doubts } = folded;
  if (before !== undefined && after !== undefined) {
    for (const turn of changedBefore)
      note(`${name}: something else changed it before turn ${turn}; the diff holds that too`);
    for (const doubt of doubts) note(`${name}: ${doubt}; the diff leaves that out`);
    if (before !== after) yield { patch: diffContents(name, before, after), step: undefined };
    return;
  }
  note(`${name}: its content is only partly known; its edits follow one after the other`);
  for (const step of listSteps(events())) {
    const patch = stepPatch(name, step);
    if (patch) yield { patch, step };
    else note(`${name}: an edit in turn ${step.turn} is left out, its place in the file is not recorded`);
  }
}

function stepPatch(name: string, { before, after, call }: FileStep): FilePatch | undefined {
  if (before !== undefined && after !== undefined) return diffContents(name, before, after);
  return call.hunks.length > 0 ? { name, isCreate: false, isDelete: false, hunks: call.hunks } : undefined;
}

function isMasked(patch: FilePatch, cleaned: FilePatch): boolean {
  const text = ({ name, hunks }: FilePatch) => [name, ...hunks.flatMap(({ lines }) => lines)].join("\n");
  return text(patch) !== text(cleaned);
}
