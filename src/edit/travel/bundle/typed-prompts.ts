import { readFileSync } from "node:fs";
import { isObject, type JsonObject, numberAt, objectAt, stringAt, tryParseJson } from "../../../format/json.js";
import { sessionPaths } from "../../../format/layout/session-paths.js";
import type { Cleaning } from "../../plans/edit-plan.js";
import { PathMap } from "../map-paths.js";
import { toBundlePlace, toLocalPlace } from "./bundle-place.js";
import type { Unpacked } from "./unpack-session.js";

/** What people typed in a session, as the lines of `history.jsonl` have it. Long pastes lie in files of their own there. */
export interface TypedLines {
  readonly lines: readonly Buffer[];
  pasteOf(hash: string): string | undefined;
}

/** The lines for a bundle: pastes are in them, images stay behind. */
export function packPrompts({ lines, pasteOf }: TypedLines, map: PathMap, cleaning: Cleaning | null): Buffer[] {
  const clean = (text: string) => (cleaning ? cleaning.clean(text, "prompt") : text);
  return lines.flatMap((bytes) => {
    const line = tryParseJson(bytes.toString("utf8"));
    if (!isObject(line)) return [];
    const pasted = Object.entries(objectAt(line, "pastedContents") ?? {}).flatMap(([key, paste]) => {
      const content = stringAt(paste, "content") ?? pasteOf(stringAt(paste, "contentHash") ?? "");
      return content === undefined ? [] : [[key, { ...known(paste), content: clean(content) }] as const];
    });
    const display = clean(stringAt(line, "display") ?? "");
    const project = map.place(stringAt(line, "project") ?? "");
    return toLine({
      display,
      pastedContents: Object.fromEntries(pasted),
      timestamp: numberAt(line, "timestamp"),
      project,
    });
  });
}

/** The lines of a bundle as they are to stand in the `history.jsonl` of this machine. */
export function unpackPrompts({ bundle, session, place }: Unpacked): Buffer[] {
  const file = session.files.find((it) => it.place === "prompts");
  if (!file) return [];
  const map = new PathMap(toBundlePlace(session.id, session.project.isWindows), toLocalPlace(place));
  const { id: sessionId } = sessionPaths(place.path);
  const lines = readFileSync(bundle.pathOf(file), "utf8").split("\n");
  return lines.flatMap((text) => {
    const line = tryParseJson(text);
    const timestamp = numberAt(line, "timestamp");
    if (!isObject(line) || timestamp === undefined) return [];
    const pasted = Object.entries(objectAt(line, "pastedContents") ?? {}).flatMap(([key, paste]) => {
      const content = stringAt(paste, "content");
      return content === undefined || !/^\d{1,6}$/.test(key)
        ? []
        : [[key, { ...known(paste), content: plain(content) }] as const];
    });
    const display = plain(stringAt(line, "display") ?? "");
    const project = map.place(stringAt(line, "project") ?? "");
    return toLine({ display, pastedContents: Object.fromEntries(pasted), timestamp, project, sessionId });
  });
}

function known(paste: unknown): JsonObject {
  const id = numberAt(paste, "id");
  return { ...(id === undefined ? {} : { id }), type: "text" };
}

function toLine(line: JsonObject): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

/** A terminal shows these lines again: nothing in them may steer it. */
function plain(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, "");
}
