import { useState } from "preact/hooks";
import { CodeBlock } from "../../render/html/components/code-blocks.js";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import type { RawAnswer } from "../../server/api/session.js";
import { change, toApiError, useAnswer } from "../api.js";
import { MASK } from "../labels.js";
import { Dialog } from "../shell/dialog.js";
import { LoadingState, Refusal } from "../shell/states.js";

/** Identifies a record by line or uuid, in the session file or in that of a sub-agent. */
export interface RawPlace {
  readonly line?: number;
  readonly uuid?: string;
  readonly agentId?: string;
}

interface RawDialogProps {
  readonly id: string;
  readonly place: RawPlace;
  onClose(): void;
}

/** One line of the file as it is, with buttons for the lines around it. */
export function RawDialog({ id, place, onClose }: RawDialogProps) {
  const [chosen, setLine] = useState(place.line);
  const [revealed, setRevealed] = useState<RawAnswer>();
  const base = `/api/sessions/${encodeURIComponent(id)}`;
  const agent = place.agentId === undefined ? {} : { agentId: place.agentId };
  const where = chosen === undefined ? { uuid: place.uuid ?? "" } : { line: String(chosen) };
  const { answer, failure } = useAnswer<RawAnswer>(`${base}/raw?${new URLSearchParams({ ...where, ...agent })}`);
  const line = chosen ?? answer?.line ?? 1;
  const shown = revealed?.line === line ? revealed : answer;
  const isLoading = shown?.line !== line;
  const hasMasks = JSON.stringify(shown?.records ?? []).includes(MASK);
  const goToNext = () => {
    if (!isLoading) setLine(line + 1);
  };
  const reveal = async () => {
    try {
      setRevealed(await change<RawAnswer>(`${base}/reveal`, { line, ...agent }));
    } catch (error) {
      showStatus(toApiError(error).message);
    }
  };
  return (
    <Dialog title={`Line ${line}`} class="wide" onClose={onClose}>
      {failure ? <Refusal problem={failure} /> : null}
      {!shown && !failure ? <LoadingState /> : null}
      {shown?.records.map(({ kind, raw }, index) => (
        <CodeBlock
          key={index}
          label={kind}
          language="json"
          text={typeof raw === "string" ? raw : JSON.stringify(raw, null, 2)}
        />
      ))}
      {shown?.records.length === 0 ? <p class="quiet">This line is blank.</p> : null}
      <div class="dialog-actions">
        <button type="button" disabled={line <= 1} onClick={() => setLine(line - 1)}>
          Previous line
        </button>
        <button type="button" disabled={shown?.isLast ?? false} aria-disabled={isLoading} onClick={goToNext}>
          Next line
        </button>
        {hasMasks ? (
          <button type="button" onClick={reveal}>
            Show secrets
          </button>
        ) : null}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
