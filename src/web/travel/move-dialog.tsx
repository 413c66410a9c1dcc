import { useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import { neutralize } from "../../render/safe-text.js";
import type { MovePreview, ProjectMoveAnswer, ProjectMovePreview, ResumableAnswer } from "../../server/api/travel.js";
import { change, usePosted } from "../api.js";
import { projectName } from "../labels.js";
import { navigate, sessionPath } from "../router.js";
import { SameCommand } from "../shell/copy.js";
import { Dialog } from "../shell/dialog.js";
import { LoadingState, Refusal } from "../shell/states.js";
import { Check } from "./bundle-dialog.js";
import { FolderInput } from "./folder-input.js";
import { useSending } from "./use-sending.js";

interface MoveDialogProps {
  readonly id?: string;
  readonly project: string | null;
  onClose(): void;
}

/** Moves a session to another project, or a whole project after its folder was moved. */
export function MoveDialog({ id, project, onClose }: MoveDialogProps) {
  const [isWhole, setWhole] = useState(id === undefined);
  const [from, setFrom] = useState(project ?? "");
  const [to, setTo] = useState("");
  const [rewriteCwd, setRewriteCwd] = useState(true);
  const target = to.trim();
  const isReady = target !== "" && (!isWhole || from.trim() !== "");
  return (
    <Dialog title={isWhole ? "Move a project" : "Move to another project"} onClose={onClose}>
      <p class="quiet">
        {isWhole
          ? "For a folder that was moved or renamed: all its sessions, their side files, memory, and Claude Code's entries. End Claude Code first."
          : "The session leaves its project and is resumed in the other folder."}
      </p>
      {id === undefined || project === null ? null : (
        <Check
          label={`All sessions of ${neutralize(projectName(project))}, whose folder has moved`}
          checked={isWhole}
          onChange={setWhole}
        />
      )}
      {isWhole ? <FolderInput label="Old folder" value={from} onInput={setFrom} /> : null}
      <FolderInput label={isWhole ? "New folder" : "Folder of the other project"} value={to} onInput={setTo} />
      {isWhole ? null : (
        <Check
          label="Also rewrite the paths that Claude Code reads from the session"
          checked={rewriteCwd}
          onChange={setRewriteCwd}
        />
      )}
      {!isReady ? (
        <CancelOnly onClose={onClose} />
      ) : isWhole || id === undefined ? (
        <PlannedProject from={from.trim()} to={target} onClose={onClose} />
      ) : (
        <PlannedSession id={id} wanted={{ to: target, rewriteCwd }} onClose={onClose} />
      )}
    </Dialog>
  );
}

function CancelOnly({ onClose }: { onClose(): void }) {
  return (
    <div class="dialog-actions">
      <button type="button" onClick={onClose}>
        Cancel
      </button>
    </div>
  );
}

interface PlannedSessionProps {
  readonly id: string;
  readonly wanted: { readonly to: string; readonly rewriteCwd: boolean };
  onClose(): void;
}

function PlannedSession({ id, wanted, onClose }: PlannedSessionProps) {
  const path = `/api/sessions/${encodeURIComponent(id)}/move`;
  const [force, setForce] = useState(false);
  const { answer: preview, problem: refused } = usePosted<MovePreview>(`${path}/preview`, { ...wanted, force });
  const { isBusy, problem: failed, send } = useSending();
  const problem = failed ?? refused;
  const move = async () => {
    await change<ResumableAnswer>(path, { ...wanted, force });
    showStatus("Session moved");
    onClose();
    navigate(sessionPath(id));
  };
  return (
    <>
      {problem ? (
        <Refusal problem={problem} />
      ) : preview ? (
        <div class="report">
          <p>
            {formatCount(preview.files, "file")} to {neutralize(preview.path)}
          </p>
          <Lines preview={preview} />
          {preview.remains.map((line) => (
            <p key={line} class="quiet">
              {neutralize(line)}
            </p>
          ))}
          <SameCommand command={preview.commandLine} />
        </div>
      ) : (
        <LoadingState />
      )}
      {force || problem?.code === "busy" ? (
        <Check label="Move it although it may be running" checked={force} onChange={setForce} />
      ) : null}
      <Actions isReady={preview !== undefined && !isBusy} onMove={() => send(move)} onClose={onClose} />
    </>
  );
}

interface PlannedProjectProps {
  readonly from: string;
  readonly to: string;
  onClose(): void;
}

function PlannedProject({ from, to, onClose }: PlannedProjectProps) {
  const [force, setForce] = useState(false);
  const wanted = { from, to, force };
  const { answer: preview, problem: refused } = usePosted<ProjectMovePreview>("/api/projects/move/preview", wanted);
  const { isBusy, problem: failed, send } = useSending();
  const problem = failed ?? refused;
  const move = async () => {
    const { sessions } = await change<ProjectMoveAnswer>("/api/projects/move", wanted);
    showStatus(`${formatCount(sessions, "session")} moved; turnlog move --undo moves them back`);
    onClose();
  };
  return (
    <>
      {problem ? (
        <Refusal problem={problem} />
      ) : preview ? (
        <div class="report">
          <p>
            <strong>{formatCount(preview.sessions, "session")}</strong> to {neutralize(preview.to)}
          </p>
          <Lines preview={preview} />
          {[
            ...preview.besides,
            ...preview.named.map(
              ({ path, count }) => `${path}: ${formatCount(count, "entry", "entries")}, a copy is kept`,
            ),
          ].map((line) => (
            <p key={line}>{neutralize(line)}</p>
          ))}
          {preview.settings.map((path) => (
            <p key={path} class="quiet">
              {neutralize(path)} names the old folder and stays as it is
            </p>
          ))}
          <SameCommand command={preview.commandLine} />
        </div>
      ) : (
        <LoadingState />
      )}
      {force || problem?.code === "busy" ? (
        <Check label="Move it although it may be running" checked={force} onChange={setForce} />
      ) : null}
      <Actions isReady={preview !== undefined && !isBusy} onMove={() => send(move)} onClose={onClose} />
    </>
  );
}

function Lines({
  preview: { to, exists, rewritten, left },
}: {
  readonly preview: Pick<MovePreview, "to" | "exists" | "rewritten" | "left">;
}) {
  return (
    <>
      {exists ? null : <p class="warned">{neutralize(to)} does not exist yet</p>}
      <p>Paths change in {formatCount(rewritten, "line")}</p>
      {left === 0 ? null : (
        <p class="quiet">
          {formatCount(left, "line")} with the old folder in text: messages, commands and output stay as they are
        </p>
      )}
    </>
  );
}

interface ActionsProps {
  readonly isReady: boolean;
  onMove(): void;
  onClose(): void;
}

function Actions({ isReady, onMove, onClose }: ActionsProps) {
  return (
    <div class="dialog-actions">
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button type="button" class="primary" disabled={!isReady} onClick={onMove}>
        Move
      </button>
    </div>
  );
}
