import { useState } from "preact/hooks";
import type { EditAnswer, EditCommand, EditFlags, EditPreview } from "../../server/api/edit.js";
import { type ApiError, change } from "../api.js";
import { navigate } from "../router.js";
import { sessionPath } from "../routes.js";
import { copyText } from "../session/copy-text.js";
import { Dialog } from "../shell/dialog.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { toApiError } from "../use-answer.js";
import { usePosted } from "../use-posted.js";
import { EditOptions } from "./edit-options.js";
import { EditReport, isSound } from "./edit-report.js";

/** What somebody wants to make of a session. */
export interface WantedEdit {
  readonly command: EditCommand;
  readonly flags: EditFlags;
}

interface EditDialogProps {
  readonly id: string;
  readonly wanted: WantedEdit;
  /** How many turns there are to choose from. */
  readonly turns: number;
  onClose(): void;
}

const TITLES: Readonly<Record<EditCommand, string>> = {
  clone: "Clone",
  fork: "Fork",
  prune: "Prune",
  compress: "Condense",
  redact: "Copy without secrets",
  repair: "Repair",
};

const WORDS: Readonly<Record<EditCommand, string>> = {
  clone: "A copy that can be gone on with, beside this one.",
  fork: "A new session of a part of this one.",
  prune: "A new session with less in its context. What people and the model said stays.",
  compress: "A new session in which older turns are told in short. Nothing is sent to a model.",
  redact: "A new session without keys, passwords, your home path and your name.",
  repair: "A new session without what keeps a client from going on.",
};

/** Shows what would go and what that saves; a click writes the new session. The old one stays as it is. */
export function EditDialog({ id, wanted, turns, onClose }: EditDialogProps) {
  const { command } = wanted;
  const [flags, setFlags] = useState(wanted.flags);
  const [made, setMade] = useState<EditAnswer>();
  const [refusal, setRefusal] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const path = `/api/sessions/${encodeURIComponent(id)}/edit`;
  const { answer, failure } = usePosted<EditPreview>(`${path}/preview`, { command, flags });
  const write = async () => {
    setBusy(true);
    try {
      setMade(await change<EditAnswer>(path, { command, flags }));
    } catch (error) {
      setRefusal(toApiError(error));
    }
    setBusy(false);
  };
  if (made) return <Made made={made} onClose={onClose} />;
  const problem = refusal ?? failure;
  return (
    <Dialog title={TITLES[command]} onClose={onClose}>
      <p class="quiet">{WORDS[command]} This session stays as it is.</p>
      <EditOptions command={command} flags={flags} turns={turns} onChange={setFlags} />
      {problem ? <FailedState failure={problem} /> : answer ? <EditReport preview={answer} /> : <LoadingState />}
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={!answer || isSound(answer) || isBusy || problem !== undefined}
          onClick={write}
        >
          {isBusy ? "Writing …" : "Write the new session"}
        </button>
      </div>
    </Dialog>
  );
}

function Made({ made: { id, resume }, onClose }: { readonly made: EditAnswer; onClose(): void }) {
  return (
    <Dialog title="The new session is written" onClose={onClose}>
      {resume === null ? null : (
        <div class="report">
          <p>Go on with it in a terminal:</p>
          <p>
            <code>{resume}</code>
          </p>
        </div>
      )}
      <div class="dialog-actions">
        {resume === null ? null : (
          <button type="button" onClick={() => void copyText(resume, "Command")}>
            Copy the command
          </button>
        )}
        <button
          type="button"
          class="primary"
          onClick={() => {
            onClose();
            navigate(sessionPath(id));
          }}
        >
          Open it
        </button>
      </div>
    </Dialog>
  );
}
