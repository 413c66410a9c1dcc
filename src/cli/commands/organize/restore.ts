import { existsSync } from "node:fs";
import type { Command } from "commander";
import { dataFolderOf } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import { listTrash, restoreFromTrash, type TrashedSession, withTrash } from "../../../library/trash/trash.js";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext } from "../../io.js";
import { printedJson } from "../../terminal/printed-json.js";

interface Restored {
  readonly id: string;
  readonly path: string;
  /** Only its copy in the archive was restored: its own file was already gone when it was deleted. */
  readonly isArchivedOnly: boolean;
  readonly missing: readonly string[];
}

const EXAMPLES = `
\`turnlog delete --list\` lists the trash. Nothing is overwritten.

Examples:
  turnlog delete --list   what is in the trash
  turnlog restore last    bring back the session deleted last`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<sessions...>", "deleted sessions: id, unique id prefix, exact title, old path, or `last`")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (names: readonly string[], { json }: { json?: boolean }) => {
      const restored = await withTrash(dataFolderOf(io), (trash) => names.map((name) => restore(name, trash)));
      for (const path of restored.flatMap(({ missing }) => missing)) io.warn(`${path} is no longer in the trash`);
      const text = restored.map(describe).join("");
      await io.stdout(json ? printedJson(restored, io) : text);
    });
}

function restore(name: string, trash: string): Restored {
  const session = chooseTrashed(name, listTrash(trash));
  const missing = restoreFromTrash(session);
  return { id: session.id, path: session.path, isArchivedOnly: !existsSync(session.path), missing };
}

function describe({ id, path, isArchivedOnly }: Restored): string {
  if (!isArchivedOnly) return `restored ${neutralize(path)}\n`;
  return `restored ${neutralize(id)} to the archive (\`turnlog archive restore\` restores its file)\n`;
}

/** If a session was deleted more than once, the latest. */
function chooseTrashed(name: string, sessions: readonly TrashedSession[]): TrashedSession {
  const hint = "`turnlog delete --list` lists the trash";
  const isNamed = ({ id, title, path }: TrashedSession) =>
    (name.length > 1 && id.toLowerCase().startsWith(name.toLowerCase())) || title === name || path === name;
  const matches = name === "last" ? sessions.slice(0, 1) : sessions.filter(isNamed);
  const [first] = matches;
  if (!first) throw new UserError("not-found", `no session in the trash is called "${name}"`, hint);
  const ids = new Set(matches.map(({ id }) => id));
  if (ids.size === 1) return first;
  throw new UserError(
    "ambiguous",
    `"${name}" matches ${ids.size} deleted sessions`,
    `use one of ${[...ids].join(", ")}`,
  );
}
