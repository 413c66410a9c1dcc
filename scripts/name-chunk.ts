import { resolve } from "node:path";

/**
 * Each file that is loaded costs half a millisecond, so what nearly all commands load together is a few files: what there is
 * before a command runs, what the hooks of the client need of that which all need, what reads options, and what the leanest
 * command needs that asks the index. A chunk holds what at least one entry of each group loads.
 */
const TOGETHER: Readonly<Record<string, readonly (readonly string[])[]>> = {
  start: [["src/cli/main.ts"]],
  base: [["src/cli/commands/trace/hook.ts"], ["src/cli/report/print-list.ts"]],
  hooks: [["src/cli/commands/trace/hook.ts"]],
  budget: [["src/cli/commands/budget/answer-hook.ts"]],
  options: [["src/cli/run-command.ts", "src/cli/commands/browse/search.ts", "src/cli/commands/browse/stats.ts"]],
  core: [["src/cli/report/print-list.ts"]],
};

/** The library, which shares these files, does without. */
const COMMAND_LINE = /\/src\/cli\/(main|registry)\.ts$/;
/** What declares options and reads them, for every command. */
const COMMANDS = /\/commander\/|\/src\/cli\/options\/session-argument\.ts$/;

interface Bundle {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

export function nameChunk(id: string, bundle: Bundle): string | null {
  if (COMMAND_LINE.test(id)) return null;
  if (COMMANDS.test(id)) return "commands";
  const chunk = Object.entries(TOGETHER).find(([, groups]) => groups.every((group) => isLoadedBy(id, group, bundle)));
  return chunk?.[0] ?? null;
}

const loaded = new Map<string, ReadonlySet<string>>();

function isLoadedBy(id: string, entries: readonly string[], bundle: Bundle): boolean {
  return entries.some((entry) => {
    const path = resolve(import.meta.dirname, "..", entry);
    const ids = loaded.get(path) ?? loadedBy(path, bundle);
    loaded.set(path, ids);
    return id !== path && ids.has(id);
  });
}

function loadedBy(id: string, bundle: Bundle, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of bundle.getModuleInfo(id)?.importedIds ?? []) loadedBy(imported, bundle, found);
  return found;
}
