import { useState } from "preact/hooks";
import { formatBytes, formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { BundlePreview, BundleRequest } from "../../server/api/travel.js";
import { postForFile, usePosted } from "../api.js";
import { Redaction } from "../edit/edit-report.js";
import { SameCommand } from "../shell/copy.js";
import { Dialog } from "../shell/dialog.js";
import { saveFile } from "../shell/save-file.js";
import { LoadingState, Refusal } from "../shell/states.js";
import { useSending } from "./use-sending.js";

interface BundleDialogProps {
  readonly ids: readonly string[];
  onClose(): void;
}

const ANY_PASSPHRASE = "*"; // a preview is not encrypted

/** Packs sessions into a file for another machine; first what would be in it, and what is taken out. */
export function BundleDialog({ ids, onClose }: BundleDialogProps) {
  const [request, setRequest] = useState<BundleRequest>({ ids, redact: true, emails: false });
  const [passphrase, setPassphrase] = useState<string>(); // undefined: not encrypted
  const asked = passphrase === undefined ? request : { ...request, passphrase: ANY_PASSPHRASE };
  const { answer: preview, problem: refused } = usePosted<BundlePreview>("/api/bundle/preview", asked);
  const { isBusy, problem: failed, send } = useSending();
  const problem = failed ?? refused;
  const save = () =>
    send(async () => {
      const file = await postForFile("/api/bundle", passphrase ? { ...request, passphrase } : request);
      saveFile(await file.blob(), preview?.fileName ?? "sessions.tar.gz");
      onClose();
    });
  return (
    <Dialog title={ids.length === 1 ? "Bundle" : `Bundle ${ids.length} sessions`} onClose={onClose}>
      <p class="quiet">
        One file with transcript, sub-agents, tool results and backups of edited files. On another machine, import it or
        drop it on the page there.
      </p>
      <Check
        label="Redact secrets, home folder and user name"
        checked={request.redact === true}
        onChange={(redact) => setRequest({ ...request, redact })}
      />
      <Check
        label="Also redact e-mail addresses"
        checked={request.emails === true}
        disabled={request.redact !== true}
        onChange={(emails) => setRequest({ ...request, emails })}
      />
      <Encryption passphrase={passphrase} onChange={setPassphrase} />
      {problem ? <Refusal problem={problem} /> : preview ? <Report preview={preview} /> : <LoadingState />}
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={!preview || isBusy || passphrase === "" || refused !== undefined}
          onClick={save}
        >
          {isBusy ? "Saving …" : "Save"}
        </button>
      </div>
    </Dialog>
  );
}

function Report({
  preview: { fileName, sizeBytes, sessions, report, commandLine },
}: {
  readonly preview: BundlePreview;
}) {
  return (
    <div class="report">
      <p>
        <strong>{fileName}</strong>, {formatBytes(sizeBytes)}
      </p>
      <ul class="travelling">
        {sessions.map(({ id, title, files, leftOut, isRunning, left }) => (
          <li key={id}>
            <span dir="auto">{neutralize(title ?? id)}</span>
            <span class="quiet">
              {formatCount(files, "file")}
              {isRunning ? "; it is running: the bundle has it as it is now" : ""}
              {leftOut.length === 0 ? "" : `; left out: ${neutralize(leftOut.join(", "))}`}
              {left === 0 || report ? "" : `; ${formatCount(left, "line")} with folders of this machine in text`}
            </span>
          </li>
        ))}
      </ul>
      <Redaction report={report} />
      <SameCommand command={commandLine} />
    </div>
  );
}

interface EncryptionProps {
  readonly passphrase: string | undefined;
  onChange(passphrase: string | undefined): void;
}

function Encryption({ passphrase, onChange }: EncryptionProps) {
  return (
    <>
      <Check
        label="Encrypt with a passphrase"
        checked={passphrase !== undefined}
        onChange={(isEncrypted) => onChange(isEncrypted ? "" : undefined)}
      />
      {passphrase === undefined ? null : (
        <label class="field">
          Passphrase
          <input
            autocomplete="new-password"
            spellcheck={false}
            value={passphrase}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  onChange(checked: boolean): void;
}

export function Check({ label, checked, disabled = false, onChange }: CheckProps) {
  return (
    <label class="field check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}
