import { useState } from "preact/hooks";
import { formatBytes } from "../../render/format-values.js";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import type { ExportPreview, ExportRequest } from "../../server/api/export.js";
import type { StartAnswer } from "../../server/api/start.js";
import { postForFile, toApiError, useAnswer, usePosted } from "../api.js";
import { Redaction } from "../edit/edit-report.js";
import { SameCommand } from "../shell/copy.js";
import { Dialog } from "../shell/dialog.js";
import { saveFile } from "../shell/save-file.js";
import { LoadingState, Refusal } from "../shell/states.js";

interface ExportDialogProps {
  readonly id: string;
  onClose(): void;
}

const FORMAT_LABELS: Readonly<Record<string, string>> = {
  html: "html: a web page in one file",
  md: "md: Markdown",
  cast: "cast: a terminal recording (asciinema)",
  mp4: "mp4: a video",
  gif: "gif: an animated image",
  json: "json: turns, messages and tool calls as data",
  jsonl: "jsonl: the session file",
  api: "api: messages as sent to the model",
};

/** Shows what will be redacted before the file is saved. */
export function ExportDialog({ id, onClose }: ExportDialogProps) {
  const { answer: start } = useAnswer<StartAnswer>("/api/start");
  const [request, setRequest] = useState<ExportRequest>({ format: "html", redact: true, emails: false });
  const [isBusy, setBusy] = useState(false);
  const path = `/api/sessions/${encodeURIComponent(id)}/export`;
  const { answer: preview, problem } = usePosted<ExportPreview>(`${path}/preview`, request);
  const save = async () => {
    setBusy(true);
    try {
      const file = await postForFile(path, request);
      saveFile(await file.blob(), preview?.fileName ?? `session.${request.format}`);
      onClose();
    } catch (error) {
      showStatus(toApiError(error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title="Export" onClose={onClose}>
      <label class="field">
        Format
        <select
          value={request.format}
          onChange={({ currentTarget }) => setRequest({ ...request, format: currentTarget.value })}
        >
          {(start?.exportFormats ?? [request.format]).map((format) => (
            <option key={format} value={format}>
              {FORMAT_LABELS[format] ?? format}
            </option>
          ))}
        </select>
      </label>
      <RedactionChoices request={request} onChange={setRequest} />
      {problem ? <Refusal problem={problem} /> : preview ? <Report preview={preview} /> : <LoadingState />}
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={!preview || isBusy} onClick={save}>
          {isBusy ? "Saving …" : "Save"}
        </button>
      </div>
    </Dialog>
  );
}

interface RedactionChoicesProps {
  readonly request: ExportRequest;
  onChange(request: ExportRequest): void;
}

function RedactionChoices({ request, onChange }: RedactionChoicesProps) {
  return (
    <>
      <label class="field check">
        <input
          type="checkbox"
          checked={request.redact === true}
          onChange={({ currentTarget }) => onChange({ ...request, redact: currentTarget.checked })}
        />
        Redact secrets
      </label>
      <label class="field check">
        <input
          type="checkbox"
          checked={request.emails === true}
          disabled={request.redact !== true}
          onChange={({ currentTarget }) => onChange({ ...request, emails: currentTarget.checked })}
        />
        Also redact e-mail addresses
      </label>
    </>
  );
}

function Report({ preview: { fileName, sizeBytes, report, notes, command } }: { readonly preview: ExportPreview }) {
  return (
    <div class="report">
      <p>
        {fileName}, {formatBytes(sizeBytes)}
      </p>
      <Redaction report={report} />
      {notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      <SameCommand command={command} />
    </div>
  );
}
