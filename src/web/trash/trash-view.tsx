import { useState } from "preact/hooks";
import { formatBytes, formatCount, formatTime } from "../../render/format-values.js";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import { neutralize } from "../../render/safe-text.js";
import type { DeleteAnswer, RemoveAnswer, RestoreAnswer, TrashAnswer, TrashEntry } from "../../server/api/trash.js";
import { change, toApiError, useAnswer } from "../api.js";
import { projectName } from "../labels.js";
import { navigate, sessionPath } from "../router.js";
import { useServerEvents } from "../server-events.js";
import { Dialog } from "../shell/dialog.js";
import { EmptyState, FailedState, LoadingState } from "../shell/states.js";

export function TrashView() {
  const { answer, failure, reload } = useAnswer<TrashAnswer>("/api/trash");
  const [removing, setRemoving] = useState<TrashEntry>();
  useServerEvents(({ kind }) => {
    if (kind === "trash" || kind === "connected") reload();
  });
  if (failure) return <FailedState failure={failure} onRetry={reload} />;
  if (!answer) return <LoadingState />;
  if (answer.sessions.length === 0) {
    return (
      <EmptyState title="The trash is empty">
        <p>Deleted sessions are kept here until you restore them or delete them permanently.</p>
      </EmptyState>
    );
  }
  return (
    <div class="page-body">
      <h1>Trash</h1>
      <ul class="trash">
        {answer.sessions.map((entry) => (
          <li key={entry.entry}>
            <TrashRow entry={entry} onRemove={() => setRemoving(entry)} onChanged={reload} />
          </li>
        ))}
      </ul>
      {removing ? <RemoveDialog entry={removing} onClose={() => setRemoving(undefined)} onChanged={reload} /> : null}
    </div>
  );
}

interface TrashRowProps {
  readonly entry: TrashEntry;
  onRemove(): void;
  onChanged(): void;
}

function TrashRow({
  entry: { entry, title, project, deletedAt, sizeBytes, files },
  onRemove,
  onChanged,
}: TrashRowProps) {
  const restore = async () => {
    try {
      const { restored } = await change<RestoreAnswer>("/api/trash/restore", { entries: [entry] });
      showStatus("Restored");
      onChanged();
      if (restored[0]) navigate(sessionPath(restored[0].id));
    } catch (error) {
      showStatus(toApiError(error).message);
    }
  };
  return (
    <>
      <div>
        <strong dir="auto">{neutralize(title)}</strong>
        <p class="quiet">
          {neutralize(projectName(project))} · deleted {formatTime(deletedAt)} · {formatCount(files, "file")},{" "}
          {formatBytes(sizeBytes)}
        </p>
      </div>
      <button type="button" class="button" onClick={restore}>
        Restore
      </button>
      <button type="button" class="button quiet" onClick={onRemove}>
        Delete …
      </button>
    </>
  );
}

interface RemoveDialogProps {
  readonly entry: TrashEntry;
  onClose(): void;
  onChanged(): void;
}

function RemoveDialog({ entry, onClose, onChanged }: RemoveDialogProps) {
  const remove = async () => {
    try {
      await change<RemoveAnswer>("/api/trash/remove", { entries: [entry.entry] });
      onChanged();
    } catch (error) {
      showStatus(toApiError(error).message);
    }
    onClose();
  };
  return (
    <Dialog title="Delete permanently?" onClose={onClose}>
      <p>“{neutralize(entry.title)}” cannot be restored afterwards.</p>
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={remove}>
          Delete permanently
        </button>
      </div>
    </Dialog>
  );
}

/** Without confirmation, since the trash can restore them. True if any session was moved. */
export async function moveToTrash(ids: readonly string[]): Promise<boolean> {
  try {
    const { deleted, spared, remains } = await change<DeleteAnswer>("/api/trash", { ids });
    const moved = deleted.length === 0 ? [] : [`${formatCount(deleted.length, "session")} moved to the trash`];
    const kept = spared.slice(0, 1).map(({ reason }) => `${formatCount(spared.length, "session")} kept: ${reason}`);
    showStatus([...moved, ...kept, ...remains].join("; "));
    return deleted.length > 0;
  } catch (error) {
    showStatus(toApiError(error).message);
    return false;
  }
}
