import { formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import type { FilesAnswer } from "../../server/api/files.js";
import { useAnswer } from "../use-answer.js";

/** Files that the session wrote, with how much changed. */
export function FilesTouched({ id, version }: { readonly id: string; readonly version: number }) {
  const { answer } = useAnswer<FilesAnswer>(`/api/files?session=${encodeURIComponent(id)}&version=${version}`);
  const written = (answer?.files ?? []).filter(({ writes, edits }) => writes + edits > 0);
  if (written.length === 0) return null;
  return (
    <details class="files-touched">
      <summary>{formatCount(written.length, "file")} changed</summary>
      <ul>
        {written.map(({ path, name, added, removed, isNew }) => (
          <li key={path} title={neutralize(path)}>
            <span class="name">{neutralize(name ?? path)}</span>
            {isNew ? <span class="quiet">new</span> : null}
            {added === null ? null : <b class="added">+{added}</b>}
            {removed === null ? null : <b class="removed">−{removed}</b>}
          </li>
        ))}
      </ul>
    </details>
  );
}
