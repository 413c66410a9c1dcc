import { useEffect, useState } from "preact/hooks";
import { formatCount, formatTime } from "../../render/format-values.js";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import { neutralize } from "../../render/safe-text.js";
import type {
  ImportAnswer,
  ImportedProject,
  ImportedSession,
  ImportPreview,
  UploadAnswer,
} from "../../server/api/travel.js";
import { change, postBytes, usePosted } from "../api.js";
import { CreatedSession } from "../edit/created-session.js";
import { Dialog } from "../shell/dialog.js";
import { LoadingState, Refusal } from "../shell/states.js";
import { FolderInput } from "./folder-input.js";
import { useSending } from "./use-sending.js";

interface ImportDialogProps {
  /** Dropped on the page; else it is chosen here. */
  readonly file?: File;
  onClose(): void;
}

/** Shows what a bundle holds and where it would go before anything is written. */
export function ImportDialog({ file, onClose }: ImportDialogProps) {
  const [upload, setUpload] = useState<UploadAnswer>();
  const [passphrase, setPassphrase] = useState("");
  const [imported, setImported] = useState<ImportAnswer>();
  const { isBusy, problem, send } = useSending();
  const take = (bytes: File) =>
    send(async () => setUpload((await (await postBytes("/api/import", bytes)).json()) as UploadAnswer));
  useEffect(() => {
    if (file) take(file);
  }, []);
  const close = () => {
    if (upload && !imported) void change(`/api/import/${upload.upload}/discard`, {}).catch(() => {});
    onClose();
  };
  const made = imported?.sessions.find(({ action }) => action === "write") ?? imported?.sessions[0];
  if (made) {
    return (
      <Dialog title="Imported" onClose={close}>
        <CreatedSession created={made} onClose={close} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Import" class="wide" onClose={close}>
      {upload ? null : <FileChoice onChoose={take} />}
      {problem ? <Refusal problem={problem} /> : isBusy ? <LoadingState label="Reading the file" /> : null}
      {upload?.isEncrypted ? <PassphraseField onEnter={setPassphrase} /> : null}
      {upload && (!upload.isEncrypted || passphrase !== "") ? (
        <Planned upload={upload.upload} passphrase={passphrase} onImported={setImported} onClose={close} />
      ) : (
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      )}
    </Dialog>
  );
}

function FileChoice({ onChoose }: { onChoose(file: File): void }) {
  return (
    <label class="drop-place">
      <span>
        <strong>Choose a bundle</strong>, or drop it anywhere on the page
      </span>
      <span class="quiet">A file that “Bundle” or turnlog bundle made on another machine</span>
      <input
        type="file"
        class="out-of-sight"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) onChoose(file);
        }}
      />
    </label>
  );
}

function PassphraseField({ onEnter }: { onEnter(passphrase: string): void }) {
  const [text, setText] = useState("");
  return (
    <form
      class="field-row"
      onSubmit={(event) => {
        event.preventDefault();
        onEnter(text);
      }}
    >
      <label class="field">
        Passphrase of the bundle
        <input
          type="password"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p class="field">
        <button type="submit" class="button" disabled={text === ""}>
          Open
        </button>
      </p>
    </form>
  );
}

interface PlannedProps {
  readonly upload: string;
  readonly passphrase: string;
  onImported(answer: ImportAnswer): void;
  onClose(): void;
}

function Planned({ upload, passphrase, onImported, onClose }: PlannedProps) {
  const [folders, setFolders] = useState<readonly (string | null)[]>([]);
  const request = { projects: folders, ...(passphrase === "" ? {} : { passphrase }) };
  const path = `/api/import/${upload}`;
  const { answer, problem: refused } = usePosted<ImportPreview>(`${path}/preview`, request);
  const { isBusy, problem: failed, send } = useSending();
  const [shown, setShown] = useState<ImportPreview>();
  useEffect(() => {
    if (answer) setShown(answer); // kept while a folder is typed
  }, [answer]);
  const problem = failed ?? refused;
  const count = answer?.sessions.filter(({ action }) => action === "write").length ?? 0;
  const name = (at: number, folder: string) => {
    const all = (shown?.projects ?? []).map((_, index) => folders[index] ?? null);
    setFolders(all.map((before, index) => (index === at ? folder.trim() || null : before)));
  };
  return (
    <>
      {shown ? <Contents preview={shown} folders={folders} onName={name} /> : null}
      {problem ? <Refusal problem={problem} /> : shown ? null : <LoadingState />}
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={count === 0 || isBusy}
          onClick={() =>
            send(async () => {
              onImported(await change<ImportAnswer>(path, request));
              showStatus(`${formatCount(count, "session")} imported`);
            })
          }
        >
          {isBusy ? "Importing …" : count === 0 ? "Import" : `Import ${formatCount(count, "session")}`}
        </button>
      </div>
    </>
  );
}

interface ContentsProps {
  readonly preview: ImportPreview;
  readonly folders: readonly (string | null)[];
  onName(at: number, folder: string): void;
}

function Contents({ preview: { createdAt, isRedacted, projects, sessions }, folders, onName }: ContentsProps) {
  return (
    <>
      <p class="quiet">
        A bundle of {formatTime(createdAt)}, {isRedacted ? "redacted" : "not redacted"}. Nothing here is overwritten. It
        is text of somebody else: read it before a model goes on with it.
      </p>
      {projects.map((project, at) => (
        <ProjectField
          key={`${project.name} ${project.remote}`}
          project={project}
          folder={folders[at] ?? null}
          onName={(folder) => onName(at, folder)}
        />
      ))}
      <ul class="travelling report">
        {sessions.map((session) => (
          <li key={session.source}>
            <span dir="auto">{neutralize(session.title ?? session.source)}</span>
            <span class="quiet">{describeSession(session)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function describeSession({ id, source, turns, files, action, path }: ImportedSession): string {
  const size = `${formatCount(turns, "turn")}, ${formatCount(files, "file")}`;
  const renamed = id === source ? "" : `; another session here has its id, so it becomes ${id}`;
  if (action === null) return `${size}; its project has no folder here yet`;
  if (action === "same") return `${size}; is here already`;
  if (action === "continued") return `${size}; is here already, with more at its end`;
  return `${size}, to ${neutralize(path ?? "")}${renamed}`;
}

interface ProjectFieldProps {
  readonly project: ImportedProject;
  readonly folder: string | null;
  onName(folder: string): void;
}

const FOUND = { name: "", remote: "found by its git remote", place: "the same place as there" } as const;

function ProjectField({
  project: { name, remote, folder: found, by, exists, problem },
  folder,
  onName,
}: ProjectFieldProps) {
  const told =
    problem ?? [by ? FOUND[by] : "", exists ? "" : "does not exist yet"].filter((part) => part !== "").join("; ");
  return (
    <FolderInput
      label={`Folder of ${neutralize(name || remote || "the project")}${remote && name ? ` (${neutralize(remote)})` : ""}`}
      value={folder ?? found ?? ""}
      note={told}
      isWarning={problem !== null}
      onInput={onName}
    />
  );
}
