import { useState } from "preact/hooks";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import type { MarksAnswer, MarksRequest } from "../../server/api/marks.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { change, toApiError } from "../api.js";
import { Dialog } from "../shell/dialog.js";

interface MarksDialogProps {
  readonly header: SessionAnswer["header"];
  onClose(): void;
}

/** The user's title, tags and note; stored by turnlog, not in the session. */
export function MarksDialog({ header, onClose }: MarksDialogProps) {
  const [known] = useState({
    title: header.userTitle ?? "",
    tags: header.tags.join(", "),
    note: header.note ?? "",
  });
  const [title, setTitle] = useState(known.title);
  const [tags, setTags] = useState(known.tags);
  const [note, setNote] = useState(known.note);
  // The shown values may be masked, so only changed ones are saved.
  const save = async () => {
    const isKept = await keepMarks(header.id, {
      ...(title === known.title ? {} : { title: title.trim() || null }),
      ...(tags === known.tags ? {} : { tags: tags.split(",").filter((tag) => tag.trim() !== "") }),
      ...(note === known.note ? {} : { note: note.trim() || null }),
    });
    if (isKept) onClose();
  };
  return (
    <Dialog title="Title, tags, note" onClose={onClose}>
      <label class="field">
        Custom title
        <input
          value={title}
          placeholder={header.title}
          onInput={({ currentTarget }) => setTitle(currentTarget.value)}
        />
      </label>
      <label class="field">
        Tags
        <input value={tags} placeholder="urgent, api" onInput={({ currentTarget }) => setTags(currentTarget.value)} />
      </label>
      <label class="field">
        Note
        <textarea rows={4} value={note} onInput={({ currentTarget }) => setNote(currentTarget.value)} />
      </label>
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" onClick={save}>
          Save
        </button>
      </div>
    </Dialog>
  );
}

export async function keepMarks(id: string, marks: MarksRequest): Promise<boolean> {
  try {
    await change<MarksAnswer>(`/api/sessions/${encodeURIComponent(id)}/marks`, marks);
    return true;
  } catch (error) {
    showStatus(toApiError(error).message);
    return false;
  }
}
