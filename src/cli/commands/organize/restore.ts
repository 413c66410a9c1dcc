import { existsSync } from "node:fs";
import type { Command } from "commander";
import { dataFolderOf } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import { restoreItems } from "../../../library/archive/session-items.js";
import { listTrash, removeFromTrash, type TrashedSession, withTrash } from "../../../library/trash/trash.js";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext } from "../../io.js";

interface Restored {
  readonly id: string;
  readonly path: string;
  /** Its copy in the archive came back, its own file had been gone before. */
  readonly isArchivedOnly: boolean;
  readonly missing: readonly string[];
}

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<sessions...>", "id, unique id prefix, exact title or former path of a session in the trash, or `last`")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\n`turnlog delete --list` shows what is in the trash. Nothing that is there now is overwritten.",
    )
    .action(async (names: readonly string[], { json }: { json?: boolean }) => {
      const restored = await withTrash(dataFolderOf(io), (trash) => names.map((name) => restore(name, trash)));
      for (const path of restored.flatMap(({ missing }) => missing))
        io.stderr(neutralize(`turnlog: ${path} is not in the trash any more\n`));
      const text = restored.map(describe).join("");
      await io.stdout(json ? `${JSON.stringify(restored, null, 2)}\n` : text);
    });
}

function restore(name: string, trash: string): Restored {
  const session = chooseTrashed(name, listTrash(trash));
  const missing = restoreItems(session);
  removeFromTrash(session);
  return { id: session.id, path: session.path, isArchivedOnly: !existsSync(session.path), missing };
}

function describe({ id, path, isArchivedOnly }: Restored): string {
  if (!isArchivedOnly) return `restored ${neutralize(path)}\n`;
  return `restored ${neutralize(id)} to the archive (\`turnlog archive restore\` puts its file back)\n`;
}

/** Of a session that was deleted more than once, what was deleted last. */
function chooseTrashed(name: string, sessions: readonly TrashedSession[]): TrashedSession {
  const hint = "`turnlog delete --list` shows what is in the trash";
  const isNamed = ({ id, title, path }: TrashedSession) =>
    (name.length > 1 && id.toLowerCase().startsWith(name.toLowerCase())) || title === name || path === name;
  const matches = name === "last" ? sessions.slice(0, 1) : sessions.filter(isNamed);
  const [first] = matches;
  if (!first) throw new UserError("not-found", `no session in the trash is called "${name}"`, hint);
  const ids = new Set(matches.map(({ id }) => id));
  if (ids.size === 1) return first;
  throw new UserError(
    "ambiguous",
    `"${name}" names ${ids.size} sessions in the trash`,
    `be more exact: ${[...ids].join(", ")}`,
  );
}
