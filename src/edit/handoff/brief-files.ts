import { stringAt } from "../../format/json.js";
import { listShellChanges } from "../../session/file-history/shell-changes.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { changedFiles } from "../compress/describe-work.js";

/** Which files shell commands wrote and removed, and which files were changed after the last commit. */
export function watchFiles() {
  const written = new Set<string>();
  const removed = new Set<string>();
  const sinceCommit = new Set<string>();
  let hasCommit = false;
  const remove = (path: string) => {
    for (const set of [written, sinceCommit, removed])
      for (const name of set) if (isWithin(name, path)) set.delete(name);
    removed.add(path);
  };
  return {
    add(call: ToolCall): void {
      const command = call.name === "Bash" ? (stringAt(call.input, "command") ?? "") : "";
      for (const path of changedFiles(call)) {
        const [, gone] = /^(.+) \(removed\)$/.exec(path) ?? [];
        if (gone !== undefined) continue;
        removed.delete(path);
        sinceCommit.add(path);
        if (call.name === "Bash") written.add(path);
      }
      if (command === "" || call.status !== "ok") return;
      for (const { kind, path } of listShellChanges(command, null)) if (kind === "removed") remove(path);
      if (!/\bgit (?:-\S+ )*commit\b/.test(command)) return;
      hasCommit = true;
      sinceCommit.clear();
    },
    get shellFiles(): readonly string[] {
      return [...written];
    },
    get removedFiles(): readonly string[] {
      return [...removed];
    },
    get notCommitted(): readonly string[] {
      return hasCommit ? [...sinceCommit] : [];
    },
  };
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
