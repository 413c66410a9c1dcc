import { useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { ScrollBox } from "../../render/html/components/code-blocks.js";
import { neutralize } from "../../render/safe-text.js";
import type { TraceAnswer, TracePreview } from "../../server/api/trace.js";
import { type ApiError, change, toApiError, useAnswer } from "../api.js";
import { SameCommand } from "../shell/copy.js";
import { Dialog } from "../shell/dialog.js";
import { LoadingState, Refusal } from "../shell/states.js";

interface TraceDialogProps {
  readonly id: string;
  onClose(): void;
}

/** Shows spans and targets before anything is sent. */
export function TraceDialog({ id, onClose }: TraceDialogProps) {
  const path = `/api/sessions/${encodeURIComponent(id)}/trace`;
  const { answer: preview, failure } = useAnswer<TracePreview>(path);
  const [sent, setSent] = useState<TraceAnswer>();
  const [refusal, setRefusal] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      setSent(await change<TraceAnswer>(path, {}));
    } catch (error) {
      setRefusal(toApiError(error));
    }
    setBusy(false);
  };
  const problem = refusal ?? failure;
  const hasTarget = (preview?.targets.length ?? 0) > 0;
  return (
    <Dialog title="Send traces" class="wide" onClose={onClose}>
      {problem ? <Refusal problem={problem} /> : null}
      {!preview && !problem ? <LoadingState /> : null}
      {sent ? <Sent sent={sent} /> : preview ? <Preview preview={preview} /> : null}
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          {sent ? "Close" : "Cancel"}
        </button>
        {sent ? null : (
          <button type="button" class="primary" disabled={!hasTarget || isBusy} onClick={send}>
            {isBusy ? "Sending …" : "Send"}
          </button>
        )}
      </div>
    </Dialog>
  );
}

function Preview({ preview: { targets, tree, isCut, command } }: { readonly preview: TracePreview }) {
  return (
    <>
      {targets.length === 0 ? (
        <p>
          No target is set up. In a terminal, run <code>turnlog trace install --langfuse</code> or{" "}
          <code>turnlog trace install --otlp http://localhost:4318</code>
        </p>
      ) : (
        <p>
          To {targets.map(({ name, url }) => `${neutralize(name)} (${neutralize(url)})`).join(", ")}, redacted. Spans
          that were sent before are not sent again.
        </p>
      )}
      <ScrollBox class="tree" label="Spans">
        {neutralize(tree)}
        {isCut ? "…" : ""}
      </ScrollBox>
      <SameCommand command={command} />
    </>
  );
}

function Sent({ sent: { turns, newSpans, targets } }: { readonly sent: TraceAnswer }) {
  return (
    <div class="report">
      <p>
        {formatCount(turns, "turn")}, {formatCount(newSpans, "new span")}
      </p>
      <ul>
        {targets.map(({ target, sent: count, dead, problem }) => (
          <li key={target}>
            {neutralize(target)}: {formatCount(count, "span")} sent
            {dead > 0 ? (
              <>
                , {dead} rejected (<code>turnlog trace status</code> shows why)
              </>
            ) : null}
            {problem === null ? "" : `; the rest is queued: ${neutralize(problem)}`}
          </li>
        ))}
      </ul>
    </div>
  );
}
