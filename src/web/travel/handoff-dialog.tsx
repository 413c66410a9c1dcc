import { useState } from "preact/hooks";
import { formatCount, formatTokens } from "../../render/format-values.js";
import type { HandoffPreview, HandoffRequest, ResumableAnswer } from "../../server/api/travel.js";
import { change, usePosted } from "../api.js";
import { CreatedSession } from "../edit/created-session.js";
import { Redaction } from "../edit/edit-report.js";
import { copyText, SameCommand } from "../shell/copy.js";
import { Dialog } from "../shell/dialog.js";
import { saveFile } from "../shell/save-file.js";
import { LoadingState, Refusal } from "../shell/states.js";
import { useSending } from "./use-sending.js";

interface HandoffDialogProps {
  readonly id: string;
  readonly turns: number;
  onClose(): void;
}

const LENGTHS = [
  ["1000", "short"],
  ["", "usual"],
  ["6000", "long"],
] as const;

/** A brief of the session: to be copied or saved, or the first prompt of a new session. */
export function HandoffDialog({ id, turns, onClose }: HandoffDialogProps) {
  const [request, setRequest] = useState<HandoffRequest>({ as: "text", redact: true });
  const [created, setCreated] = useState<ResumableAnswer>();
  const path = `/api/sessions/${encodeURIComponent(id)}/handoff`;
  const { answer: preview, problem: refused } = usePosted<HandoffPreview>(`${path}/preview`, request);
  const { isBusy, problem: failed, send } = useSending();
  const problem = failed ?? refused;
  if (created) {
    return (
      <Dialog title="Session created" onClose={onClose}>
        <CreatedSession created={created} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Hand off" class="wide" onClose={onClose}>
      <p class="quiet">
        Writes a brief of this session: goal, decisions, files, commands, open points. Nothing is sent to a model, and
        this session is not changed.
      </p>
      <HandoffOptions request={request} turns={turns} onChange={setRequest} />
      {problem ? <Refusal problem={problem} /> : preview ? <Brief preview={preview} /> : <LoadingState />}
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        {request.as === "session" ? (
          <button
            type="button"
            class="primary"
            disabled={!preview || isBusy}
            onClick={() => send(async () => setCreated(await change<ResumableAnswer>(path, request)))}
          >
            {isBusy ? "Creating …" : "Create session"}
          </button>
        ) : (
          <TextActions preview={preview} />
        )}
      </div>
    </Dialog>
  );
}

interface HandoffOptionsProps {
  readonly request: HandoffRequest;
  readonly turns: number;
  onChange(request: HandoffRequest): void;
}

function HandoffOptions({ request, turns, onChange }: HandoffOptionsProps) {
  return (
    <>
      <div class="field-row">
        <label class="field">
          For
          <select
            value={request.as}
            onChange={({ currentTarget }) =>
              onChange({ ...request, as: currentTarget.value === "session" ? "session" : "text" })
            }
          >
            <option value="text">somebody else, redacted</option>
            <option value="session">a new session here</option>
          </select>
        </label>
        <label class="field">
          Turns
          <input
            placeholder={`all (1-${turns})`}
            value={request.turns ?? ""}
            onInput={({ currentTarget }) => onChange({ ...request, turns: currentTarget.value.trim() })}
          />
        </label>
        <label class="field">
          Length
          <select
            value={request.maxTokens ?? ""}
            onChange={({ currentTarget }) => onChange({ ...request, maxTokens: currentTarget.value })}
          >
            {LENGTHS.map(([tokens, name]) => (
              <option key={tokens} value={tokens}>
                {name}, {formatTokens(Number(tokens || 2000))} tokens
              </option>
            ))}
          </select>
        </label>
      </div>
      <label class="field check">
        <input
          type="checkbox"
          checked={request.redact === true}
          onChange={({ currentTarget }) => onChange({ ...request, redact: currentTarget.checked })}
        />
        Redact secrets
      </label>
    </>
  );
}

function Brief({ preview: { markdown, tokens, leftOut, report, commandLine } }: { readonly preview: HandoffPreview }) {
  return (
    <>
      <pre class="brief" tabIndex={0} role="region" aria-label="Brief">
        {markdown}
      </pre>
      <div class="report">
        <p>
          About {formatTokens(tokens)} tokens
          {leftOut === 0 ? "" : `; ${formatCount(leftOut, "entry", "entries")} left out for the length`}
        </p>
        <Redaction report={report} />
        <SameCommand command={commandLine} />
      </div>
    </>
  );
}

function TextActions({ preview }: { readonly preview: HandoffPreview | undefined }) {
  const { markdown = "", fileName = "" } = preview ?? {};
  return (
    <>
      <button
        type="button"
        disabled={!preview}
        onClick={() => saveFile(new Blob([markdown], { type: "text/markdown" }), fileName)}
      >
        Save
      </button>
      <button type="button" class="primary" disabled={!preview} onClick={() => void copyText(markdown, "Brief")}>
        Copy
      </button>
    </>
  );
}
