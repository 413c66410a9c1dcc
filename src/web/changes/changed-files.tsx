import { neutralize } from "../../render/safe-text.js";
import type { ChangedFile } from "../../server/api/changes.js";
import { IconButton } from "../shell/controls.js";

interface ChangedFilesProps {
  readonly files: readonly ChangedFile[];
  readonly current: number;
  onGo(at: number): void;
  onClose(): void;
}

/** The list of files beside the diffs, by folder. */
export function ChangedFiles({ files, current, onGo, onClose }: ChangedFilesProps) {
  const folders = [...new Set(files.map(({ name }) => folderOf(name)))];
  return (
    <aside class="outline changed-files" aria-label="Changed files">
      <header>
        <h2>Files</h2>
        <IconButton name="close" label="Close list of files" onClick={onClose} />
      </header>
      <div class="outline-rows" tabIndex={0} role="group" aria-label="Changed files">
        {folders.map((folder) => (
          <section key={folder}>
            {folder === "" ? null : (
              <h3 title={neutralize(folder)}>
                <bdi>{neutralize(folder)}</bdi>
              </h3>
            )}
            <ul>
              {files.map((file, at) =>
                folderOf(file.name) === folder ? (
                  <li key={file.path}>
                    <Row file={file} isCurrent={at === current} onGo={() => onGo(at)} />
                  </li>
                ) : null,
              )}
            </ul>
          </section>
        ))}
      </div>
    </aside>
  );
}

interface RowProps {
  readonly file: ChangedFile;
  readonly isCurrent: boolean;
  onGo(): void;
}

const SIGNS = { added: "new", changed: "", removed: "removed" } as const;

function Row({ file: { name, path, state, added, removed }, isCurrent, onGo }: RowProps) {
  return (
    <button
      type="button"
      title={neutralize(path)}
      {...(isCurrent ? { "aria-current": "true" as const } : {})}
      onClick={onGo}
    >
      <span class="label" dir="auto">
        {neutralize(name.slice(folderOf(name).length).replace(/^[\\/]/, ""))}
      </span>
      <span class="counts">
        {SIGNS[state] === "" ? null : <i>{SIGNS[state]}</i>}
        {added > 0 ? <b class="added">+{added}</b> : null}
        {removed > 0 ? <b class="removed">−{removed}</b> : null}
      </span>
    </button>
  );
}

function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.search(/[\\/][^\\/]*$/)));
}
