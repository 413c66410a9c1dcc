import { type FileCall, toFileCalls } from "../../format/record/file-changes.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";

const MOST_NAMES = 12; // of a file

/** What changed in files, by the names of what is defined, tested or written in the lines that were added. */
export function collectChangedNames() {
  const names = new Map<string, Set<string>>();
  return {
    add(call: ToolCall): void {
      if (call.status !== "ok") return;
      for (const file of toFileCalls(call)) {
        if (file.kind === "read") continue;
        const known = names.get(file.path) ?? new Set();
        names.set(file.path, known);
        for (const name of namesIn(addedLines(file))) if (known.size < MOST_NAMES) known.add(name);
      }
    },
    of(path: string): readonly string[] {
      return [...(names.get(path) ?? [])];
    },
  };
}

function addedLines({ hunks, replacements, before, after }: FileCall): string[] {
  if (hunks.length > 0) return hunks.flatMap(({ lines }) => lines.filter(isAdded).map((line) => line.slice(1)));
  if (replacements.length > 0) return replacements.flatMap(({ to }) => to.split("\n", MOST_LINES));
  return typeof after === "string" && typeof before !== "string" ? after.split("\n", MOST_LINES) : [];
}

const MOST_LINES = 2000;

function isAdded(line: string): boolean {
  return line.startsWith("+");
}

const DEFINED: readonly RegExp[] = [
  /^\s*(?:export\s+)?(?:default\s+)?(?:public\s+|private\s+|protected\s+|static\s+|async\s+|pub(?:\([a-z]+\))?\s+)*(?:function\*?|def|class|interface|enum|struct|trait|fn|func|type|module)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/,
  /^(?:export\s+)?const\s+([A-Za-z_$][\w$]*)/,
  /^\s*(?:test|it|describe)\(\s*["'`]([^"'`]{1,60})/,
  /^\s*create (?:table|index|view|type) (?:if not exists )?([\w.]+)/i,
  /^#{1,3}\s+(.{1,60})$/,
];

function namesIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    for (const pattern of DEFINED) {
      const [, name] = pattern.exec(line.slice(0, 200)) ?? [];
      if (name !== undefined) return name.trim();
    }
    return [];
  });
}
