import { useState } from "preact/hooks";
import type { EditAnswer, EditCommand, EditFlags, EditPreview } from "../../server/api/edit.js";
import { type ApiError, change, toApiError, usePosted } from "../api.js";
import { Dialog } from "../shell/dialog.js";
import { LoadingState, Refusal } from "../shell/states.js";
import { CreatedSession } from "./created-session.js";
import { EditOptions } from "./edit-options.js";
import { EditReport, hasNothingToRepair } from "./edit-report.js";

/** The edit that a dialog is opened with. */
export interface WantedEdit {
  readonly command: EditCommand;
  readonly flags: EditFlags;
}

interface EditDialogProps {
  readonly id: string;
  readonly wanted: WantedEdit;
  /** Number of turns to choose from. */
  readonly turns: number;
  onClose(): void;
}

const TITLES: Readonly<Record<EditCommand, string>> = {
  clone: "Clone",
  fork: "Fork",
  prune: "Prune",
  compress: "Compress",
  uncompact: "Undo compaction",
  redact: "Copy without secrets",
  repair: "Repair",
};

const DESCRIPTIONS: Readonly<Record<EditCommand, string>> = {
  clone: "Creates a copy to resume, next to this one.",
  fork: "Creates a session from a part of this one.",
  prune: "Creates a session with a smaller context. Prompts and answers are kept.",
  compress: "Creates a session with shortened older turns. Prompts are kept. Nothing is sent to a model.",
  uncompact:
    "Creates a session in which the messages before a compaction are back. Tool output is pruned where it does not fit.",
  redact: "Creates a session without keys, passwords, your home path and your name.",
  repair: "Creates a session without the problems that stop Claude Code from resuming.",
};

/** Previews what an edit removes and saves; the button creates the new session. */
export function EditDialog({ id, wanted: { command, flags }, turns, onClose }: EditDialogProps) {
  const [created, setCreated] = useState<EditAnswer>();
  return (
    <Dialog title={created ? "Session created" : TITLES[command]} onClose={onClose}>
      {created ? (
        <CreatedSession created={created} onClose={onClose} />
      ) : (
        <Planned id={id} command={command} flags={flags} turns={turns} onCreated={setCreated} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface PlannedProps extends Omit<EditDialogProps, "wanted">, WantedEdit {
  onCreated(created: EditAnswer): void;
}

function Planned({ id, command, flags: initialFlags, turns, onCreated, onClose }: PlannedProps) {
  const [flags, setFlags] = useState(initialFlags);
  const [refusal, setRefusal] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const path = `/api/sessions/${encodeURIComponent(id)}/edit`;
  const { answer: preview, problem: refused } = usePosted<EditPreview>(`${path}/preview`, { command, flags });
  const problem = refusal ?? refused;
  const choose = (chosen: EditFlags) => {
    setRefusal(undefined);
    setFlags(chosen);
  };
  const write = async () => {
    setBusy(true);
    try {
      onCreated(await change<EditAnswer>(path, { command, flags }));
    } catch (error) {
      setRefusal(toApiError(error));
    }
    setBusy(false);
  };
  return (
    <>
      <p class="quiet">{DESCRIPTIONS[command]} This session is not changed.</p>
      <EditOptions id={id} command={command} flags={flags} turns={turns} onChange={choose} />
      {problem ? <Refusal problem={problem} /> : preview ? <EditReport preview={preview} /> : <LoadingState />}
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={!preview || hasNothingToRepair(preview) || isBusy || problem !== undefined}
          onClick={write}
        >
          {isBusy ? "Creating …" : "Create session"}
        </button>
      </div>
    </>
  );
}
