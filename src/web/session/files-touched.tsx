import { useEffect, useState } from "preact/hooks";
import { formatCount, lastFolder } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import type { FilesAnswer } from "../../server/api/files.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { LoadingState } from "../shell/states.js";
import { useAnswer } from "../use-answer.js";
import type { SessionFilter } from "./session-filter.js";

interface FilesTouchedProps {
  readonly session: Pick<SessionAnswer, "header" | "version" | "sizeBytes">;
  readonly branch: string | null;
  onFile(file: SessionFilter["file"]): void;
}

/** To list the files of a session, all that changed them is read: in a large one only for those who want to know. */
const LARGE_BYTES = 16 * 1024 * 1024;
const SETTLE_MS = 1000;

/** Files that the session wrote, with how much changed. */
export function FilesTouched({ session, branch, onFile }: FilesTouchedProps) {
  const isLarge = session.sizeBytes > LARGE_BYTES;
  const [isOpen, setOpen] = useState(false);
  const version = useSettled(session.version);
  const isWanted = version !== undefined && (isOpen || !isLarge);
  const fields = { session: session.header.id, version: String(version), ...(branch === null ? {} : { branch }) };
  const { answer } = useAnswer<FilesAnswer>(isWanted ? `/api/files?${new URLSearchParams(fields)}` : null);
  const written = (answer?.files ?? []).filter(({ writes, edits }) => writes + edits > 0);
  if (written.length === 0 && !isLarge) return null;
  return (
    <details class="files-touched" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{answer ? `${formatCount(written.length, "file")} changed` : "Files changed"}</summary>
      {answer || !isOpen ? null : <LoadingState />}
      <ul>
        {written.map(({ path, name, added, removed, isNew, turns }) => (
          <li key={path}>
            <button
              type="button"
              class="name"
              title={`Only turns with ${neutralize(path)}`}
              onClick={() => onFile({ path, name: lastFolder(path), turns })}
            >
              <bdi>{neutralize(name ?? path)}</bdi>
            </button>
            {isNew ? <span class="quiet">new</span> : null}
            {added === null ? null : <b class="added">+{added}</b>}
            {removed === null ? null : <b class="removed">−{removed}</b>}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A version that has lasted for a while: not each of a session that is being written. */
function useSettled(version: number): number | undefined {
  const [settled, setSettled] = useState<number>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(version), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [version]);
  return settled;
}
