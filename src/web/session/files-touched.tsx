import { formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import type { FilesAnswer } from "../../server/api/files.js";
import { useAnswer } from "../use-answer.js";
import { lastFolder } from "../words.js";
import type { SessionFilter } from "./session-filter.js";

interface FilesTouchedProps {
  readonly id: string;
  readonly version: number;
  onFile(file: SessionFilter["file"]): void;
}

/** Files that the session wrote, with how much changed. */
export function FilesTouched({ id, version, onFile }: FilesTouchedProps) {
  const { answer } = useAnswer<FilesAnswer>(`/api/files?session=${encodeURIComponent(id)}&version=${version}`);
  const written = (answer?.files ?? []).filter(({ writes, edits }) => writes + edits > 0);
  if (written.length === 0) return null;
  return (
    <details class="files-touched">
      <summary>{formatCount(written.length, "file")} changed</summary>
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
