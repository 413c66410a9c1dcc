import { resolve } from "node:path";

/**
 * Each file that is loaded costs half a millisecond, so what nearly all commands load together is two files: what there is
 * before a command runs, and what the leanest one needs that asks the index.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  start: ["src/cli/bin.ts", "src/cli/commands/search.ts", "src/cli/commands/stats.ts"],
  core: ["src/cli/write-list.ts"],
};

/** The library, which shares these files, does without. */
const COMMAND_LINE = /\/commander\/|\/src\/cli\/(main|create-command|registry)\.ts$/;

interface Bundle {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

export function nameChunk(id: string, bundle: Bundle): string | null {
  if (COMMAND_LINE.test(id)) return null;
  return Object.entries(TOGETHER).find(([, entries]) => isLoadedBy(id, entries, bundle))?.[0] ?? null;
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
